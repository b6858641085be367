// The counters: they add up, and they tell what the scheduler costs.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "leat/platform/counted.hpp"

namespace {

using leat::event;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::shape;
using leat_test::shapes;

template <class E>
void tree(int depth) {
  if (depth == 0) return;
  for (int i = 0; i < 3; ++i) E::spawn([depth] { tree<E>(depth - 1); });
}
constexpr std::uint64_t tasks_in_tree = 3 + 9 + 27 + 81 + 243;

TEST(counters, add_up) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape& s) {
    const std::uint64_t rounds = 10;
    for (std::uint64_t i = 0; i < rounds; ++i) e.run([] { tree<engine>(5); });
    const leat::counters c = e.counters();
    EXPECT_EQ(c[event::tasks], rounds * tasks_in_tree) << "each spawned task once, roots not";
    EXPECT_LE(c[event::inlined], c[event::tasks]);
    EXPECT_GE(c[event::tasks_stolen], c[event::steals]) << "an answer brings one task at least";
    EXPECT_LE(c[event::steals] - c[event::taken], c[event::requests_sent]) << "an answer per request";
    EXPECT_LE(c[event::dummies], c[event::requests_sent]);
    if (s.workers == 1) {
      EXPECT_EQ(c[event::steals], 0u);
      EXPECT_EQ(c[event::requests_forwarded], 0u);
      EXPECT_EQ(c[event::wakes], 0u);
    }
    if (s.deque_capacity > tasks_in_tree) {
      EXPECT_EQ(c[event::inlined], 0u);
    }
    leat::counters sum;
    for (std::uint32_t w = 0; w < s.workers; ++w) sum += e.counters(w);
    EXPECT_EQ(sum[event::tasks], c[event::tasks]) << "the total is the sum over the workers";
    EXPECT_EQ(sum[event::tasks_stolen], c[event::tasks_stolen]);
  });
}

// Two tasks wait for each other, so one of them is stolen.
TEST(counters, count_a_steal) {
  engine e(shape{2});
  const leat::counters before = e.counters();
  std::atomic<int> begun{0};
  e.run([&] {
    const auto meet = [&] {
      ++begun;
      EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), begun == 2; }));
    };
    engine::spawn(meet);
    meet();
  });
  const leat::counters spent = e.counters() - before;
  EXPECT_EQ(spent[event::tasks], 1u);
  EXPECT_EQ(spent[event::steals], 1u);
  EXPECT_EQ(spent[event::tasks_stolen], 1u);
  EXPECT_GE(spent[event::offers] + spent[event::requests_forwarded] + spent[event::requests_sent] + spent[event::taken],
            1u);
}

TEST(counters, tell_steals_that_asked_for_half) {
  using leat::protocol::strategy;
  for (const strategy how : {strategy::steal_one, strategy::steal_half, strategy::adaptive}) {
    engine e(shape{3}, how);
    for (int round = 0; round < leat_test::reps(20); ++round) e.run([] { tree<engine>(5); });
    const leat::counters c = e.counters();
    if (how == strategy::steal_one) {
      EXPECT_EQ(c[event::steals_half], 0u);
    }
    if (how == strategy::steal_half) {
      EXPECT_EQ(c[event::steals_half], c[event::steals] - c[event::taken]) << "one takes one";
    }
    EXPECT_LE(c[event::steals_half], c[event::steals]);
  }
}

TEST(counters, count_workers_that_go_to_sleep_and_those_that_wake_them) {
  engine e(shape{2});
  // A thief that the watch has just woken needs no waking: not every answer meets a sleeper.
  EXPECT_TRUE(leat_test::comes_true([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // both sleep
    std::atomic<int> begun{0};
    e.run([&] {
      const auto meet = [&] {
        ++begun;
        EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), begun == 2; }));
      };
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the other one again
      engine::spawn(meet);
      meet();
    });
    return e.counters()[event::parks] >= 1 && e.counters()[event::wakes] >= 1;
  }));
}

template <class E>
leat::counters after_ten_runs() {
  E e(shape{2});
  for (int i = 0; i < 10; ++i) e.run([] { tree<E>(4); });
  return e.counters();
}

// An idle worker writes its numbers down when it has nothing to do.
TEST(counters, tell_what_the_memory_system_was_asked_for_where_that_is_counted) {
  const leat::counters native = after_ten_runs<engine>();
  EXPECT_EQ(native[event::fences], 0u);
  EXPECT_EQ(native[event::rmw], 0u);
  const leat::counters counted = after_ten_runs<leat_test::engine_on<leat::platform::counted>>();
  EXPECT_NE(counted[event::fences], 0u);
  EXPECT_NE(counted[event::rmw], 0u);
}

// The private deque's promise (thesis 3.5): while nobody steals, a task costs no fence, CAS or other read-modify-write.
// What the tasks do not cost is left: the barrier's few, and the watch's look each time its clock falls due.
TEST(counters_cost, a_task_of_a_lone_worker_costs_no_synchronisation) {
  if (leat_test::all_is_public()) return;  // a fence, there
  using counting = leat_test::engine_on<leat::platform::counted>;
  counting e(shape{1});
  constexpr int tasks = 8'000;  // more would make the deque grow, which costs an exchange each time
  const auto cost = e.run([] {
    const auto before = leat::platform::counted::counts();
    for (int i = 0; i < tasks; ++i) counting::spawn([] {});
    counting::barrier();
    const auto spent = leat::platform::counted::counts() - before;
    return spent.fences + spent.cas + spent.rmw;
  });
  EXPECT_LT(cost, tasks / 80) << "of " << tasks << " tasks";
}

// GROUP-6: nor does a task that a thief adds to a group of another worker.
TEST(counters_cost, a_task_added_to_a_group_by_a_thief_costs_no_synchronisation) {
  if (leat_test::all_is_public()) return;  // it is counted before it is public
  using counting = leat_test::engine_on<leat::platform::counted>;
  counting e(shape{2});
  constexpr int tasks = 8'000;
  std::atomic<bool> spawned{false};
  std::atomic<int> executed{0};
  leat::platform::operation_counts spent;
  e.run([&] {
    counting::task_group g;
    g.spawn([&] {
      const auto before = leat::platform::counted::counts();
      for (int i = 0; i < tasks; ++i) g.spawn([&] { executed.fetch_add(1); });
      spent = leat::platform::counted::counts() - before;
      spawned = true;
    });
    EXPECT_TRUE(leat_test::comes_true([&] { return counting::poll(), spawned.load(); }));  // so a thief executes it
    g.wait();
    EXPECT_EQ(executed, tasks);
  });
  EXPECT_LT(spent.fences + spent.cas + spent.rmw, tasks / 80u) << "of " << tasks << " tasks";
}

TEST(counters_value, knows_its_names_and_subtracts) {
  leat::counters a;
  for (std::size_t i = 0; i < leat::event_count; ++i) a.values[i] = 10 * (i + 1);
  leat::counters b = a;
  b += a;
  const leat::counters d = b - a;
  EXPECT_EQ(d.values, a.values);
  std::set<std::string> names;
  std::size_t i = 0;
  a.for_each([&](std::string_view name, std::uint64_t value) {
    EXPECT_FALSE(name.empty());
    names.emplace(name);
    EXPECT_EQ(value, 10 * (++i));
  });
  EXPECT_EQ(names.size(), leat::event_count);
  EXPECT_EQ(leat::event_names[static_cast<std::size_t>(event::tasks)], "tasks");
  EXPECT_EQ(leat::event_names[static_cast<std::size_t>(event::signals)], "signals");
  EXPECT_EQ(leat::event_names[static_cast<std::size_t>(event::parks)], "parks");
}

TEST(counters_value, may_be_read_by_anybody_at_any_time) {
  leat::options o;
  o.workers = 2;
  leat::runtime rt(o);
  std::atomic<bool> stop{false};
  std::uint64_t last = 0;
  bool went_back = false;
  std::thread reader([&] {
    while (!stop) {
      const std::uint64_t now = rt.counters()[event::tasks];
      went_back |= now < last;
      last = now;
    }
  });
  for (int i = 0; i < 20; ++i) {
    rt.run([] {
      for (int k = 0; k < 500; ++k) leat::spawn([] {});
    });
  }
  stop = true;
  reader.join();
  EXPECT_FALSE(went_back);
  EXPECT_EQ(rt.counters()[event::tasks], 10'000u);
  EXPECT_EQ(rt.counters(0)[event::tasks] + rt.counters(1)[event::tasks], 10'000u);
}

}  // namespace
