// What a worker does with a steal request, case by case (docs/internals/protocol.md, WORKER-1 to WORKER-3).
#include <gtest/gtest.h>

#include <optional>

#include "leat/protocol/thief.hpp"

namespace {

using leat::protocol::amount;
using leat::protocol::batch;
using leat::protocol::batch_max;
using leat::protocol::decision;
using leat::protocol::holder;
using leat::protocol::no_run;
using leat::protocol::request;
using leat::protocol::run_id;
using leat::protocol::status;
using leat::protocol::verdict;
using leat::protocol::victims;
using leat::protocol::worker_id;

constexpr run_id r1 = 1;
constexpr run_id r2 = 2;
constexpr worker_id thief = 0;

request a_request(status s = status::idle, run_id known = no_run, run_id only = no_run) {
  request r;
  r.thief = thief;
  r.status = s;
  r.known = known;
  r.only = only;
  return r;
}

victims of_three(std::uint32_t attempts = 2) { return victims::flat(thief, 3, 7, attempts); }

decision forward_to(worker_id to) { return {decision::kind::forward, to, false}; }
constexpr decision pool = {decision::kind::pool, 0, false};
constexpr decision serve = {decision::kind::serve, 0, false};
constexpr decision serve_with_update = {decision::kind::serve, 0, true};

TEST(begin, sends_the_request_to_another_worker) {
  victims v = of_three();
  const decision d = begin(a_request(), v, std::nullopt, false);
  EXPECT_EQ(d.what, decision::kind::forward);
  EXPECT_NE(d.to, thief);
  EXPECT_FALSE(d.update);
}

TEST(begin, sends_the_request_to_the_last_victim_first) {
  for (const worker_id last : {1u, 2u}) {
    victims v = of_three();
    EXPECT_EQ(begin(a_request(), v, last, false), forward_to(last));
    EXPECT_EQ(pass_on(a_request(), v, last), forward_to(3 - last)) << "then to the other";
  }
}

TEST(begin, sends_the_request_to_the_manager_if_a_root_waits) {
  victims v = of_three();
  EXPECT_EQ(begin(a_request(), v, 1, true), pool);
}

TEST(begin, sends_the_request_to_the_manager_if_tasks_of_one_run_are_wanted) {
  victims v = of_three();
  EXPECT_EQ(begin(a_request(status::working, r1, r1), v, 1, false), pool);
  EXPECT_EQ(begin(a_request(status::idle, r1, r1), v, 1, false), pool);
}

TEST(begin, sends_the_request_to_the_manager_if_there_is_nobody_to_ask) {
  victims alone = victims::flat(thief, 1, 7, 4);
  EXPECT_EQ(begin(a_request(), alone, std::nullopt, false), pool);
  victims never = of_three(0);
  EXPECT_EQ(begin(a_request(), never, 1, false), pool);
}

TEST(begin, sends_the_request_to_the_manager_if_nobody_may_have_anything) {
  victims v = of_three();
  const auto nobody = [](worker_id) { return false; };
  EXPECT_EQ(begin(a_request(), v, 1, false, nobody), pool);
  EXPECT_EQ(pass_on(a_request(), v, 1, nobody), pool);
}

TEST(begin, forgets_what_the_last_request_tried) {
  victims v = of_three();
  ASSERT_EQ(begin(a_request(), v, std::nullopt, false).what, decision::kind::forward);
  ASSERT_EQ(pass_on(a_request(), v, 1).what, decision::kind::forward);
  ASSERT_EQ(pass_on(a_request(), v, 2), pool);
  EXPECT_EQ(begin(a_request(), v, std::nullopt, false).what, decision::kind::forward);
}

TEST(pass_on, comes_to_rest_after_the_last_attempt) {
  victims v = of_three(1);
  ASSERT_EQ(begin(a_request(), v, 2, false), forward_to(2));
  EXPECT_EQ(pass_on(a_request(), v, 2), pool);
}

TEST(pass_on, comes_to_rest_at_once_if_tasks_of_one_run_are_wanted) {
  victims v = of_three();
  v.restart(std::nullopt);
  EXPECT_EQ(pass_on(a_request(status::working, r1, r1), v, 2), pool);
}

struct reception {
  const char* name;
  request received;
  holder by;
  decision wanted;
  run_id known_then;
  status status_then;
};

TEST(on_request, decides) {
  const holder idle{1, no_run, 0};
  const holder busy_without_tasks{1, r1, 0};
  const holder rich{1, r1, 3};
  const reception cases[] = {
      {"idle holder", a_request(), idle, forward_to(2), no_run, status::idle},
      {"no tasks", a_request(), busy_without_tasks, forward_to(2), no_run, status::idle},
      {"no tasks, the same run", a_request(status::idle, r1), busy_without_tasks, forward_to(2), r1, status::idle},
      {"no tasks, one run wanted", a_request(status::working, r1, r1), busy_without_tasks, pool, r1, status::working},
      {"not yet counted", a_request(), rich, serve_with_update, r1, status::idle},
      {"counted under the same run", a_request(status::idle, r1), rich, serve, r1, status::idle},
      {"counted under another run", a_request(status::idle, r2), rich, serve_with_update, r1, status::idle},
      {"registered", a_request(status::registered_idle), rich, serve_with_update, r1, status::idle},
      {"waits inside a task", a_request(status::working, r1, r1), rich, serve, r1, status::working},
      {"asks ahead of time", a_request(status::working, r1), rich, serve, r1, status::working},
      {"in the barrier of the same run", a_request(status::idle, r1, r1), rich, serve, r1, status::idle},
      {"wants another run", a_request(status::working, r2, r2), rich, pool, r2, status::working},
      {"in the barrier of another run", a_request(status::idle, r2, r2), rich, pool, r2, status::idle},
  };
  for (const reception& c : cases) {
    victims v = of_three();
    ASSERT_EQ(begin(a_request(), v, 1, false), forward_to(1));
    const request& received = c.received;  // stays as it is: what the request says then, is in the verdict
    const verdict found = on_request(c.by, received, v);
    EXPECT_EQ(found.what, c.wanted) << c.name;
    request then = received;
    then.known = c.known_then;
    then.status = c.status_then;
    EXPECT_EQ(found.then, then) << c.name;
  }
}

TEST(batch, is_one_if_one_is_wanted) {
  EXPECT_EQ(batch(amount::one, 0), 0u);
  EXPECT_EQ(batch(amount::one, 1), 1u);
  EXPECT_EQ(batch(amount::one, 100), 1u);
}

TEST(batch, is_half_rounded_down_but_not_to_nothing) {
  EXPECT_EQ(batch(amount::half, 0), 0u);
  EXPECT_EQ(batch(amount::half, 1), 1u);
  EXPECT_EQ(batch(amount::half, 2), 1u);
  EXPECT_EQ(batch(amount::half, 3), 1u);
  EXPECT_EQ(batch(amount::half, 4), 2u);
  EXPECT_EQ(batch(amount::half, 101), 50u);
}

TEST(batch, is_bounded) {
  EXPECT_EQ(batch(amount::half, 2 * batch_max - 1), batch_max - 1);
  EXPECT_EQ(batch(amount::half, 2 * batch_max), batch_max);
  EXPECT_EQ(batch(amount::half, 1'000'000'000), batch_max);
}

}  // namespace
