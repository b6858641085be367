// Task graphs that are left early: exceptions and cancellation, and that they run again.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::shape;
using leat_test::shapes;
using graph = engine::graph;

TEST(graph_stop, the_first_exception_is_thrown_and_the_rest_is_skipped) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    graph g;
    std::atomic<int> after{0};
    std::atomic<int> before{0};
    bool throws = true;
    auto first = g.add([&] { ++before; });
    auto bad = g.add([&] {
                  if (throws) throw std::runtime_error("bad");
                }).succeed(first);
    auto join = g.add([&] { ++after; });
    for (int i = 0; i < 100; ++i) g.add([&] { ++after; }).succeed(bad).precede(join);
    for (int round = 1; round <= 3; ++round) {
      throws = true;
      EXPECT_THROW(e.run([&] { g.run(); }), std::runtime_error);
      EXPECT_EQ(before, 2 * round - 1);
      EXPECT_EQ(after, 101 * (round - 1)) << "a successor of what threw began";
      EXPECT_FALSE(g.cancelled());
      throws = false;
      e.run([&] { g.run(); });
      EXPECT_EQ(after, 101 * round) << "as good as new";
    }
  });
}

TEST(graph_stop, is_cancelled_by_a_node_and_runs_again) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    graph g;
    std::atomic<int> after{0};
    bool cancels = true;
    auto first = g.add([&] {
      if (cancels) g.cancel();
    });
    graph::node last = first;
    for (int i = 0; i < 100; ++i) {
      auto next = g.add([&] { ++after; }).succeed(last);
      g.add([&] { ++after; }).succeed(last);
      last = next;
    }
    e.run([&] { g.run(); });
    EXPECT_EQ(after, 0);
    EXPECT_FALSE(g.cancelled());
    cancels = false;
    e.run([&] { g.run(); });
    EXPECT_EQ(after, 200);
  });
}

TEST(graph_stop, that_is_cancelled_beforehand_skips_its_next_run) {
  engine e(shape{2});
  graph g;
  int ran = 0;
  g.add([&] { ++ran; });
  g.cancel();
  EXPECT_TRUE(g.cancelled());
  e.run([&] { g.run(); });
  EXPECT_EQ(ran, 0);
  e.run([&] { g.run(); });
  EXPECT_EQ(ran, 1);
}

TEST(graph_stop, inside_a_cancelled_group_is_skipped_with_it) {
  engine e(shape{2});
  graph g;
  std::atomic<int> ran{0};
  auto a = g.add([&] { ++ran; });
  g.add([&] { ++ran; }).succeed(a);
  e.run([&] {
    engine::task_group group;
    group.spawn([&] {
      group.cancel();
      g.run();
    });
    group.wait();
    EXPECT_EQ(ran, 0);
    g.run();
    EXPECT_EQ(ran, 2);
  });
}

}  // namespace
