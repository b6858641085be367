// The steal protocol, all interleavings: small clients, two and three workers, no threads. What is modelled: world.hpp.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "model/explorer.hpp"

namespace {

using leat::model::client;
using leat::model::explore;
using leat::model::report;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LEAT_MODEL_SLOWLY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LEAT_MODEL_SLOWLY 1
#endif
#endif
#if defined(NDEBUG) && !defined(LEAT_MODEL_SLOWLY)
constexpr bool fast = true;
#else
constexpr bool fast = false;
#endif

struct named_client {
  std::string name;
  client what;
};

std::ostream& operator<<(std::ostream& out, const named_client& c) { return out << c.name; }

std::string name_of(const ::testing::TestParamInfo<named_client>& info) {
  return info.param.name + "_on_" + std::to_string(info.param.what.workers) +
         (info.param.what.take_backs != 0 ? "_taking_back_" + std::to_string(info.param.what.take_backs) : "");
}

class protocol_model : public ::testing::TestWithParam<named_client> {};
class protocol_model_long : public ::testing::TestWithParam<named_client> {};

void expect_no_violation(const client& c) {
  const report r = explore(c);
  EXPECT_EQ(r.violation, "") << r.trace;
  EXPECT_GT(r.ends, 0u);
  std::cout << r.states << " states, " << r.steps << " steps, " << r.ends << " ends\n";
}

TEST_P(protocol_model, holds) { expect_no_violation(GetParam().what); }

TEST_P(protocol_model_long, holds) {
  if (!fast) GTEST_SKIP() << "millions of states: in release builds only";
  expect_no_violation(GetParam().what);
}

// -- the clients

client leaves(unsigned count) {
  client c;
  c.spawn_leaves(c.run(), count);
  return c;
}

client two_levels(unsigned children, unsigned leaves) {
  client c;
  const auto root = c.run();
  const auto child = c.spawn(root);
  c.spawn_leaves(child, leaves);
  c.spawn_leaves(root, children - 1);
  return c;
}

client barriers(unsigned before, unsigned between, bool second) {
  client c;
  const auto root = c.run();
  c.spawn_leaves(root, before).barrier(root).spawn_leaves(root, between);
  if (second) c.barrier(root);
  c.stops = true;
  return c;
}

client wait_for_leaf() {
  client c;
  const auto root = c.run();
  return c.wait(root, c.spawn(root));
}

client wait_for_two() {
  client c;
  const auto root = c.run();
  const auto a = c.spawn(root);
  const auto b = c.spawn(root);
  return c.wait(root, b).wait(root, a);
}

client wait_in_wait() {
  client c;
  const auto root = c.run();
  const auto child = c.spawn(root);
  return c.wait(child, c.spawn(child)).wait(root, child);
}

client wait_then_barrier() {
  client c;
  const auto root = c.run();
  const auto child = c.spawn(root);
  return c.spawn_leaves(child, 2).wait(root, child).barrier(root);
}

// A worker waits inside a task while the root is in its barrier.
client wait_in_barrier() {
  client c;
  const auto root = c.run();
  const auto child = c.spawn(root);
  const auto first = c.spawn(child);
  c.spawn(child);
  return c.wait(child, first).spawn_leaves(root, 1).barrier(root);
}

client two_runs(unsigned first, bool first_barrier, unsigned second, bool second_barrier) {
  client c;
  const auto one = c.run();
  c.spawn_leaves(one, first);
  if (first_barrier) c.barrier(one);
  const auto other = c.run();
  c.spawn_leaves(other, second);
  if (second_barrier) c.barrier(other);
  return c;
}

client wait_beside_run(unsigned leaves, bool barrier) {
  client c = wait_for_leaf();
  const auto other = c.run();
  c.spawn_leaves(other, leaves);
  if (barrier) c.barrier(other);
  return c;
}

client in_turn(client c) {
  c.together = false;
  c.stops = true;
  return c;
}

client on(client c, unsigned workers, unsigned take_backs = 0, unsigned starting = 0) {
  c.workers = workers;
  c.take_backs = take_backs;
  c.starting = starting;
  return c;
}

client asking_for_half(client c) {
  c.half = true;
  c.last_victim = true;
  return c;
}

client trying(client c, std::uint32_t attempts) {
  c.attempts = attempts;
  return c;
}

// All clients on two workers, with and without requests taken back; with `workers` beginning to work, too.
std::vector<named_client> on_two() {
  const std::vector<named_client> clients = {
      {"root_alone", leaves(0)},
      {"one_leaf", leaves(1)},
      {"two_leaves", leaves(2)},
      {"three_leaves", leaves(3)},
      {"half_of_five_leaves", asking_for_half(leaves(5))},
      {"three_leaves_by_offers_alone", trying(leaves(3), 0)},
      {"two_levels", two_levels(2, 2)},
      {"two_levels_of_three", asking_for_half(two_levels(3, 3))},
      {"barrier_alone", barriers(0, 0, false)},
      {"barriers_in_a_row", barriers(0, 0, true)},
      {"barriers_with_tasks", barriers(2, 1, true)},
      {"barrier_then_tasks", barriers(3, 1, false)},
      {"wait_for_leaf", wait_for_leaf()},
      {"wait_for_two", wait_for_two()},
      {"wait_in_wait", wait_in_wait()},
      {"wait_then_barrier", wait_then_barrier()},
      {"wait_in_barrier", wait_in_barrier()},
      {"two_empty_runs", two_runs(0, false, 0, false)},
      {"two_runs", two_runs(2, false, 2, false)},
      {"barrier_beside_run", two_runs(1, true, 2, false)},
      {"two_runs_with_barriers", two_runs(1, true, 1, true)},
      {"wait_beside_run", wait_beside_run(1, false)},
      {"wait_beside_barrier", wait_beside_run(0, true)},
      {"runs_in_turn", in_turn(two_runs(1, true, 2, false))},
  };
  std::vector<named_client> all;
  for (const named_client& c : clients) {
    all.push_back({c.name, on(c.what, 2)});
    all.push_back({c.name, on(c.what, 2, fast ? 2 : 1)});
    all.push_back({c.name + "_from_the_start", on(c.what, 2, 1, 2)});
  }
  return all;
}

// What is small enough on three workers for every kind of build.
std::vector<named_client> on_three() {
  return {
      {"root_alone", on(leaves(0), 3, 1)},
      {"one_leaf", on(leaves(1), 3, 1)},
      {"two_leaves", on(leaves(2), 3)},
      {"start_and_stop", on(in_turn(leaves(0)), 3, 0, 3)},
      {"barriers_in_a_row", on(barriers(0, 0, true), 3, 2)},
      {"barriers_with_tasks", on(barriers(2, 1, true), 3)},
      {"wait_for_leaf", on(wait_for_leaf(), 3, 1)},
      {"two_empty_runs", on(two_runs(0, false, 0, false), 3, 1)},
      {"runs_in_turn", on(in_turn(two_runs(1, false, 1, false)), 3, 1)},
  };
}

std::vector<named_client> on_three_in_release() {
  if (!fast) return {};
  return {
      {"two_leaves", on(leaves(2), 3, 1)},
      {"two_leaves_one_starts", on(leaves(2), 3, 0, 1)},
      {"two_leaves_two_attempts", on(trying(leaves(2), 2), 3)},
      {"three_leaves", on(leaves(3), 3)},
      {"two_leaves_by_offers_alone", on(trying(leaves(2), 0), 3, 1)},
      {"two_runs_by_offers_alone", on(trying(two_runs(1, true, 1, true), 0), 3)},
      {"one_leaf_from_the_start", on(leaves(1), 3, 0, 3)},
      {"two_levels", on(two_levels(1, 2), 3)},
      {"barriers_with_tasks", on(barriers(2, 1, true), 3, 1)},
      {"barrier_then_tasks", on(barriers(3, 1, false), 3)},
      {"wait_for_two", on(wait_for_two(), 3)},
      {"wait_in_wait", on(wait_in_wait(), 3)},
      {"two_runs", on(two_runs(1, false, 1, false), 3)},
      {"two_runs_with_barriers", on(two_runs(1, true, 1, true), 3)},
      {"wait_beside_barrier", on(wait_beside_run(0, true), 3)},
  };
}

std::vector<named_client> on_three_for_long() {
  return {
      {"three_leaves", on(leaves(3), 3, 1)},
      {"half_of_four_leaves", on(asking_for_half(leaves(4)), 3)},
      {"one_leaf_from_the_start", on(leaves(1), 3, 1, 3)},
      {"two_leaves_from_the_start", on(leaves(2), 3, 0, 3)},
      {"two_levels", on(two_levels(2, 2), 3)},
      {"two_small_levels", on(two_levels(1, 2), 3, 1)},
      {"barrier_then_tasks", on(barriers(3, 1, false), 3, 1)},
      {"wait_for_two", on(wait_for_two(), 3, 1)},
      {"wait_in_wait", on(wait_in_wait(), 3, 1)},
      {"wait_then_barrier", on(wait_then_barrier(), 3)},
      {"wait_in_barrier", on(wait_in_barrier(), 3)},
      {"run_beside_empty_run", on(two_runs(1, false, 0, false), 3, 1)},
      {"barrier_beside_run", on(two_runs(1, true, 1, false), 3)},
      {"wait_beside_run", on(wait_beside_run(1, false), 3)},
      {"wait_beside_barrier", on(wait_beside_run(0, true), 3, 1)},
  };
}

INSTANTIATE_TEST_SUITE_P(two_workers, protocol_model, ::testing::ValuesIn(on_two()), name_of);
INSTANTIATE_TEST_SUITE_P(three_workers, protocol_model, ::testing::ValuesIn(on_three()), name_of);
INSTANTIATE_TEST_SUITE_P(three_workers_in_release, protocol_model, ::testing::ValuesIn(on_three_in_release()), name_of);
INSTANTIATE_TEST_SUITE_P(three_workers, protocol_model_long, ::testing::ValuesIn(on_three_for_long()), name_of);

}  // namespace
