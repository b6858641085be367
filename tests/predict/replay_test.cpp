#include "prediction.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "strand_bias.hpp"
#include "work_and_span.hpp"
#include "written.hpp"

namespace {

using namespace leat_predict;
using leat::sim::recording;
using leat::sim::walked;

using leat::sim::root_of_run;

leat::sim::prediction predicted(const recording& r, std::uint64_t workers, root_of_run root = root_of_run::worker) {
  leat::options o;
  o.workers = workers;
  o.spin_us = 100;
  return leat::sim::predict(r, leat::sim::walk(r), {}, o, root);
}

double seconds(const recording& r, std::uint64_t workers) { return predicted(r, workers).seconds; }

// A fork for each call, and `ns` in each.
void fib(stream& s, int n, std::uint64_t ns, std::uint64_t& id) {
  s.add(strand, {ns});
  if (n < 2) return;
  s.add(begin_fork, {0, ++id});
  fib(s, n - 1, ns, id);
  s.add(branch);
  fib(s, n - 2, ns, id);
  s.add(join);
}

recording fib_of(int n, std::uint64_t ns) {
  stream s;
  std::uint64_t id = 0;
  s.named().add(run);
  fib(s, n, ns, id);
  return read({s.add(run_end)});
}

TEST(walks, add_up_forks) {
  const walked w = leat::sim::walk(fib_of(10, 7));
  EXPECT_EQ(w.whole.work_ns, 177u * 7);
  EXPECT_EQ(w.whole.span_ns, 10u * 7);
  EXPECT_EQ(w.whole.strands, 177u);
}

TEST(walks, wait_for_groups_futures_and_all) {
  stream s;
  s.named().add(outside, {1000}).add(run).add(spawn, {0, 5, 1}).add(future, {0, 2}).add(spawn, {0, 0, 3});
  s.add(segment, {1}).add(strand, {100}).add(end).add(segment, {2}).add(strand, {250}).add(end);
  s.add(segment, {3}).add(strand, {400}).add(end);
  s.add(strand, {30})
      .add(wait_for, {5})
      .add(strand, {1})
      .add(await, {2})
      .add(blocking, {10})
      .add(barrier)
      .add(strand, {2});
  const walked w = leat::sim::walk(read({s.add(run_end)}));
  EXPECT_EQ(w.whole.work_ns, 1000u + 100 + 250 + 400 + 30 + 1 + 2);
  EXPECT_EQ(w.whole.blocking_ns, 10u);
  EXPECT_EQ(w.whole.outside_ns, 1000u);
  EXPECT_EQ(w.whole.span_ns, 1000u + 400 + 2);
}

TEST(walks, take_the_longest_iteration_of_a_loop) {
  stream s;
  s.named().add(run).add(loop, {1, 0, 5}).add(block, {1, 0, 3, 30}).add(block, {1, 3, 1, 70});
  s.add(open_block, {1, 4, 1})
      .add(begin_fork, {0, 2})
      .add(strand, {80})
      .add(branch)
      .add(strand, {90})
      .add(join)
      .add(end);
  const walked w = leat::sim::walk(read({s.add(loop_end, {1}).add(run_end)}));
  EXPECT_EQ(w.whole.work_ns, 270u);
  EXPECT_EQ(w.whole.span_ns, 90u);
}

TEST(walks, count_sums) {
  stream s;
  s.named()
      .add(run)
      .add(strand, {5})
      .add(begin_fork, {0, 1})
      .add(sums, {1000, 30, 40, 13})
      .add(branch)
      .add(strand, {7});
  const walked w = leat::sim::walk(read({s.add(join).add(sums, {50, 50, 1, 0}).add(run_end)}));
  EXPECT_EQ(w.whole.work_ns, 1062u);
  EXPECT_EQ(w.whole.span_ns, 85u);
  EXPECT_EQ(w.whole.strands, 43u);
  EXPECT_EQ(w.sums_work_ns, 1050u);
}

// A graph: 1 waits for 2, and 2 is made later.
recording of_two_nodes() {
  stream s;
  s.named().add(run).add(spawn, {0, 9, 1}).add(spawn, {0, 9, 2});
  s.add(segment, {2}).add(strand, {5000}).add(end).add(segment, {1}).add(await, {2}).add(strand, {7000}).add(end);
  return read({s.add(wait_for, {9}).add(run_end)});
}

TEST(walks, follow_the_order_of_dependent_tasks) { EXPECT_EQ(leat::sim::walk(of_two_nodes()).whole.span_ns, 12'000u); }

TEST(walks, refuse_times_that_no_number_holds) {
  stream s;
  s.named().add(run);
  for (int i = 0; i < 10'000; ++i) s.add(strand, {1'000'000'000'000'000});
  const recording r = read({s.add(run_end)});
  EXPECT_THROW(static_cast<void>(leat::sim::walk(r)), std::invalid_argument);
}

TEST(replays, of_one_strand_take_its_time) {
  stream s;
  s.add(outside, {2'000'000}).add(run).add(strand, {3'000'000}).add(run_end);
  EXPECT_NEAR(seconds(read({s}), 2), 5e-3, 0.1e-3);
}

TEST(replays, of_forks_are_as_fast_as_their_work_allows) {
  const recording r = fib_of(16, 10'000);
  const double one = seconds(r, 1);
  EXPECT_NEAR(one, 3193 * 10e-6, 0.1e-3);
  EXPECT_NEAR(seconds(r, 8), one / 8, 0.15 * one / 8);
}

TEST(replays, of_loops_share_their_iterations) {
  stream s;
  s.named().add(run).add(loop, {1, 0, 1'000'000});
  for (std::uint64_t i = 0; i < 1000; ++i) s.add(block, {1, 1000 * i, 1000, 10'000});
  const recording r = read({s.add(loop_end, {1}).add(run_end)});
  EXPECT_NEAR(seconds(r, 1), 10e-3, 0.2e-3);
  EXPECT_NEAR(seconds(r, 8), 10e-3 / 8, 0.2e-3);
}

TEST(replays, of_loops_execute_what_their_iterations_do) {
  stream s;
  s.named().add(run).add(loop, {1, 0, 16});
  for (std::uint64_t i = 0; i < 16; ++i)
    s.add(open_block, {1, i, 1})
        .add(begin_fork, {0, 10 + i})
        .add(strand, {2'000'000})
        .add(branch)
        .add(strand, {2'000'000})
        .add(join)
        .add(end);
  const recording r = read({s.add(loop_end, {1}).add(run_end)});
  EXPECT_NEAR(seconds(r, 1), 64e-3, 0.1e-3);
  EXPECT_LT(seconds(r, 8), 12e-3);
}

// Groups, also one into which only the branches of a fork spawn.
TEST(replays, of_tasks_share_them) {
  stream s;
  s.named().add(run);
  const auto task = [&s](std::uint64_t id) {
    s.add(spawn, {0, 7, id}).add(segment, {id}).add(strand, {200'000}).add(end);
  };
  s.add(begin_fork, {0, 1});
  for (std::uint64_t i = 0; i < 20; ++i) task(100 + i);
  s.add(branch);
  for (std::uint64_t i = 0; i < 20; ++i) task(200 + i);
  const recording r = read({s.add(join).add(wait_for, {7}).add(run_end)});
  EXPECT_NEAR(seconds(r, 1), 8e-3, 0.1e-3);
  EXPECT_NEAR(seconds(r, 4), 2e-3, 0.4e-3);
}

TEST(replays, of_futures_wait_for_them) {
  stream s;
  s.named().add(run).add(future, {0, 1}).add(segment, {1}).add(strand, {1'000'000}).add(end);
  s.add(future, {0, 2}).add(segment, {2}).add(await, {1}).add(strand, {1'000'000}).add(end);
  s.add(await, {2}).add(strand, {1'000'000});
  const leat::sim::prediction p = predicted(read({s.add(run_end)}), 4);
  EXPECT_NEAR(p.seconds, 3e-3, 0.2e-3);
  EXPECT_EQ(p.unordered_awaits, 0u);
}

TEST(replays, of_graphs_keep_their_order) {
  const leat::sim::prediction p = predicted(of_two_nodes(), 2);
  EXPECT_GE(p.seconds, 12e-6);
  EXPECT_EQ(p.unordered_awaits, 0u);
}

TEST(replays, of_calls_that_block_leave_their_worker_to_others) {
  stream s;
  s.named().add(run).add(begin_fork, {0, 1}).add(blocking, {5'000'000}).add(branch).add(strand, {5'000'000}).add(join);
  EXPECT_LT(seconds(read({s.add(run_end)}), 1), 6e-3);
}

// As long as the forks of which they are the sums.
TEST(replays, of_sums_are_parallel) {
  constexpr std::uint64_t strands = 3193, forks = 1596, ns = 10'000;
  stream s;
  s.add(run).add(sums, {strands * ns, 16 * ns, strands, forks}).add(run_end);
  const recording whole = fib_of(16, ns), of_sums = read({s});
  for (const std::uint64_t workers : {1u, 8u}) {
    const double exact = seconds(whole, workers);
    EXPECT_NEAR(seconds(of_sums, workers), exact, 0.05 * exact) << workers;
  }
}

// The longest chain is one strand.
TEST(replays, of_sums_take_as_long_as_their_span) {
  stream s;
  s.add(run).add(sums, {8'000'000, 4'000'000, 1000, 400}).add(run_end);
  EXPECT_NEAR(seconds(read({s}), 8), 4e-3, 0.2e-3);
}

TEST(replays, of_sums_may_have_nothing_parallel) {
  stream s;
  s.add(run).add(sums, {5'000'000, 0, 0, 0}).add(sums, {1'000'000, 1'000'000, 1, 3}).add(sums, {0, 0, 0, 1});
  EXPECT_NEAR(seconds(read({s.add(run_end)}), 2), 6e-3, 0.1e-3);
}

recording chain_of_forks(std::uint64_t deep) {
  stream s;
  s.named().add(run);
  for (std::uint64_t i = 0; i < deep; ++i) s.add(begin_fork, {0, i});
  for (std::uint64_t i = 0; i < deep; ++i) s.add(branch).add(join);
  return read(file_of({s.add(run_end)}, 1 << 16));
}

TEST(replays, of_deep_recursions_have_the_stack_for_it) { EXPECT_GT(seconds(chain_of_forks(200'000), 1), 0); }

TEST(replays, refuse_recursions_that_no_stack_holds) {
  EXPECT_THROW(seconds(chain_of_forks(1'000'000), 1), std::runtime_error);
}

// On the default runtime each construct is a run, and a group lasts for several.
TEST(replays, of_groups_that_several_runs_use) {
  stream s;
  s.named();
  for (std::uint64_t i = 1; i <= 8; ++i)
    s.add(run).add(spawn, {0, 99, i}).add(run_end).add(run).add(wait_for, {99}).add(run_end);
  for (std::uint64_t i = 1; i <= 8; ++i) s.add(run).add(segment, {i}).add(strand, {100'000}).add(end).add(run_end);
  const recording r = read({s});
  for (const auto root : {root_of_run::caller, root_of_run::worker}) EXPECT_GT(predicted(r, 3, root).seconds, 0.7e-3);
}

// A team's calling thread works itself: no run waits for a worker to wake up.
TEST(replays, of_many_short_runs_are_faster_on_the_calling_thread) {
  stream s;
  s.named();
  for (int i = 0; i < 50; ++i) s.add(outside, {300'000}).add(run).add(strand, {1000}).add(run_end);
  const recording r = read({s});
  EXPECT_LT(predicted(r, 2, root_of_run::caller).seconds, predicted(r, 2, root_of_run::worker).seconds);
}

TEST(replays, count_the_time_of_the_calling_thread) {
  stream s;
  const recording r = read({s.named().add(run).add(strand, {1'000'000}).add(run_end)});
  for (const auto root : {root_of_run::caller, root_of_run::worker})
    EXPECT_GT(predicted(r, 1, root).world.spent.work, 0.9);
}

// A worker that is interrupted in a strand goes on with it.
TEST(replays, count_all_of_a_strand_as_work) {
  stream s;
  s.named().add(run).add(sums, {1'000'000'000, 1'000, 100, 50}).add(run_end);
  const recording r = read({s});
  EXPECT_GT(predicted(r, 2, root_of_run::worker).world.spent.work, 0.95);
}

TEST(biases, are_taken_off_all_strands_and_blocks_alike) {
  stream s;
  s.named()
      .add(run)
      .add(strand, {30})
      .add(loop, {1, 0, 8})
      .add(block, {1, 0, 8, 100})
      .add(loop_end, {1})
      .add(strand, {70});
  recording r = read({s.add(run_end)});
  EXPECT_NEAR(leat::sim::remove_bias(r, 170).ns, 10, 1e-6);
  EXPECT_EQ(leat::sim::walk(r).whole.work_ns, 170u);
  EXPECT_EQ(r.blocks[0].cost, 90u);
  EXPECT_NEAR(leat::sim::remove_bias(r, 60).ns, 45, 1e-6) << "of 20, 90 and 60 ns";
  EXPECT_EQ(leat::sim::walk(r).whole.work_ns, 60u);
}

TEST(biases, leave_long_strands_longer_where_all_took_too_little) {
  stream s;
  s.named().add(run).add(strand, {30}).add(loop, {1, 0, 8}).add(block, {1, 0, 8, 100}).add(loop_end, {1});
  recording r = read({s.add(sums, {200, 100, 5, 2}).add(run_end)});
  const leat::sim::strand_bias found = leat::sim::remove_bias(r, 660);
  EXPECT_EQ(found.ns, 0);
  EXPECT_NEAR(found.factor, 2, 1e-9);
  EXPECT_EQ(r.blocks[0].cost, 200u);
  EXPECT_EQ(r.all_sums[0].work_ns, 400u);
  EXPECT_EQ(r.all_sums[0].span_ns, 200u);
  EXPECT_EQ(leat::sim::walk(r).whole.work_ns, 660u);
}

TEST(biases, are_of_each_strand_of_sums) {
  stream s;
  s.named().add(run).add(strand, {20}).add(sums, {1000, 400, 50, 25}).add(run_end);
  recording r = read({s});
  EXPECT_NEAR(leat::sim::remove_bias(r, 1020 - 51 * 5).ns, 5, 1e-6);
  EXPECT_EQ(r.all_sums[0].work_ns, 750u);
  EXPECT_EQ(r.all_sums[0].span_ns, 300u);
}

TEST(biases, may_be_less_than_a_nanosecond) {
  recording r = fib_of(10, 7);  // 177 strands
  EXPECT_NEAR(leat::sim::remove_bias(r, 177 * 6.5).ns, 0.5, 1e-6);
  EXPECT_NEAR(static_cast<double>(leat::sim::walk(r).whole.work_ns), 177 * 6.5, 1);
}

TEST(replays, are_the_same_for_the_same_seed) {
  const recording r = fib_of(14, 50);
  EXPECT_EQ(predicted(r, 8).world.trace, predicted(r, 8).world.trace);
}

}  // namespace
