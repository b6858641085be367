// Task graphs: order, cycles, handles, callables, and that they run again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat::wait;
using leat_test::comes_true;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;
using ::testing::HasSubstr;
using graph = engine::graph;

// A random graph, each node of which checks that those before it have been executed in this round.
class checked_graph {
 public:
  checked_graph(std::uint32_t nodes, std::uint32_t edges, std::uint32_t seed) : rounds_(nodes) {
    std::mt19937 draw(seed);
    std::vector<std::vector<std::uint32_t>> before(nodes);
    for (std::uint32_t i = 0; i < edges && nodes > 1; ++i) {
      std::uint32_t a = draw() % nodes;
      std::uint32_t b = draw() % nodes;
      if (a != b) before[std::max(a, b)].push_back(std::min(a, b));
    }
    // Added in a random order, so that edges go to lower numbers, too.
    std::vector<std::uint32_t> order(nodes);
    for (std::uint32_t n = 0; n < nodes; ++n) order[n] = n;
    std::shuffle(order.begin(), order.end(), draw);
    std::vector<graph::node> handles(nodes);
    for (const std::uint32_t n : order) {
      handles[n] = all.add([this, n, b = before[n]] {
        for (const std::uint32_t one : b) {
          if (rounds_[one] != rounds_[n] + 1) ++wrong;
        }
        ++rounds_[n];  // plain: a node is executed by one worker, and its successors see that
      });
    }
    for (std::uint32_t n = 0; n < nodes; ++n) {
      for (const std::uint32_t b : before[n]) handles[n].succeed(handles[b]);
    }
  }

  bool all_ran(int times) const {
    return std::ranges::all_of(rounds_, [times](int r) { return r == times; });
  }

  graph all;
  std::atomic<int> wrong{0};

 private:
  std::vector<int> rounds_;
};

TEST(graph, executes_each_node_once_after_those_before_it_in_every_run) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    for (const auto& [nodes, edges] : {std::pair{1u, 0u}, {2u, 1u}, {50u, 80u}, {500u, 900u}, {300u, 9000u}}) {
      checked_graph g(nodes, edges, nodes + edges);
      for (int round = 1; round <= 5; ++round) {
        e.run([&] { g.all.run(round % 2 == 0 ? wait::any : wait::own); });
        EXPECT_EQ(g.wrong, 0);
        EXPECT_TRUE(g.all_ran(round));
      }
    }
  });
}

TEST(graph, without_nodes_runs) {
  engine e(shape{2});
  graph g;
  e.run([&] { g.run(); });
  EXPECT_EQ(g.size(), 0u);
  EXPECT_EQ(g.dot(), "digraph {\n}\n");
}

TEST(graph, is_changed_between_runs) {
  engine e(shape{2});
  graph g;
  std::string order;
  const auto letter = [&](char c) { return g.add([&order, c] { order += c; }); };
  auto a = letter('a');
  auto b = letter('b').succeed(a);
  e.run([&] { g.run(); });
  EXPECT_EQ(order, "ab");
  auto c = letter('c').succeed(b);
  letter('d').succeed(c, a).succeed(c);  // an edge twice
  EXPECT_EQ(g.edges(), 5u);
  order.clear();
  e.run([&] { g.run(), g.run(); });
  EXPECT_EQ(order, "abcdabcd");
}

TEST(graph, a_chain_of_a_million_nodes_takes_one_task_and_little_stack) {
  engine e(shape{1});
  const int length = reps(1'000'000);
  graph g;
  int ran = 0;
  graph::node last = g.add([&ran] { ++ran; });
  for (int i = 1; i < length; ++i) {
    auto next = g.add([&ran, i] { ran += ran == i; });
    last.precede(next);
    last = next;
  }
  e.run([&] { g.run(); });
  EXPECT_EQ(ran, length);
  EXPECT_LT(e.counters()[leat::event::tasks], 10u);
}

// Many successors of one node, many predecessors of another.
TEST(graph, spreads_out_and_comes_together) {
  on_each_shape<engine>(shapes({1, 3}), [](engine& e, const shape&) {
    graph g;
    std::atomic<int> ran{0};
    int before_all = 0;
    int seen = 0;
    auto first = g.add([&before_all] { ++before_all; });
    auto last = g.add([&] { seen = ran; });
    for (int i = 0; i < 3000; ++i) g.add([&] { ran += before_all == 1; }).succeed(first).precede(last);
    e.run([&] { g.run(); });
    EXPECT_EQ(seen, 3000);
  });
}

TEST(graph, many_roots_are_left_to_thieves_in_halves) {
  engine e(shape{2});
  graph g;
  std::atomic<int> elsewhere{0};
  std::atomic<bool> waits{true};
  e.run([&] {
    const std::uint32_t here = engine::here();
    // Whichever node the caller begins with, it ends when another worker has executed some.
    for (int i = 0; i < 1000; ++i) {
      g.add([&, here] {
        if (engine::here() != here) {
          ++elsewhere;
        } else if (waits.exchange(false)) {
          EXPECT_TRUE(comes_true([&] { return engine::poll(), elsewhere > 100; }));
        }
      });
    }
    g.run();
  });
  EXPECT_GT(elsewhere, 100);
}

// -- cycles and handles

std::string problem_of(engine& e, graph& g) {
  try {
    e.run([&] { g.run(); });
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

TEST(graph, a_cycle_is_refused_with_the_names_of_its_nodes_before_anything_runs) {
  engine e(shape{2});
  graph g;
  int ran = 0;
  const auto add = [&](const char* name) { return g.add([&ran] { ++ran; }).name(name); };
  auto before = add("before");
  auto x = add("x").succeed(before);
  auto y = add("y").succeed(x);
  auto z = add("z").succeed(y);
  add("after").succeed(z);
  e.run([&] { g.run(); });
  EXPECT_EQ(ran, 5);
  z.precede(x);
  const std::string problem = problem_of(e, g);
  EXPECT_THAT(problem, HasSubstr("is on a cycle of 3 nodes: "));
  EXPECT_THAT(problem, ::testing::AnyOf(HasSubstr("'x' -> 'y' -> 'z' -> 'x'"), HasSubstr("'y' -> 'z' -> 'x' -> 'y'"),
                                        HasSubstr("'z' -> 'x' -> 'y' -> 'z'")));
  EXPECT_EQ(ran, 5);
  EXPECT_NE(problem_of(e, g), "") << "also the second time";
}

TEST(graph, a_node_that_precedes_itself_is_a_cycle) {
  engine e(shape{1});
  graph g;
  auto a = g.add([] {});
  a.precede(a);
  EXPECT_THAT(problem_of(e, g), HasSubstr("node '#0' is on a cycle of 1 node: '#0' -> '#0'"));
}

TEST(graph, a_long_cycle_is_named_in_part) {
  engine e(shape{1});
  graph g;
  const auto first = g.add([] {});
  auto last = first;
  for (int i = 1; i < 100'000; ++i) {
    auto next = g.add([] {});
    last.precede(next);
    last = next;
  }
  last.precede(first);
  const std::string problem = problem_of(e, g);
  EXPECT_THAT(problem, HasSubstr("cycle of 100000 nodes"));
  EXPECT_LT(problem.size(), 250u);
}

template <class F>
std::string refused(F f) {
  try {
    f();
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "nothing";
}

TEST(graph, handles_of_another_graph_and_of_none_are_refused) {
  graph g;
  graph h;
  auto mine = g.add([] {}).name("mine");
  auto theirs = h.add([] {}).name("theirs");
  EXPECT_EQ(refused([&] { mine.precede(theirs); }), "leat::graph::precede: node 'theirs' is of another graph");
  EXPECT_EQ(refused([&] { mine.succeed(theirs); }), "leat::graph::succeed: node 'theirs' is of another graph");
  graph::node none;
  EXPECT_EQ(refused([&] { mine.precede(none); }), "leat::graph::precede: a handle of no node");
  EXPECT_EQ(refused([&] { none.precede(mine); }), "leat::graph::precede: a handle of no node");
  EXPECT_EQ(refused([&] { none.name("x"); }), "leat::graph::name: a handle of no node");
  EXPECT_EQ(g.edges() + h.edges(), 0u);
  EXPECT_NE(mine, theirs);
}

TEST(graph, that_runs_is_neither_run_nor_changed) {
  engine e(shape{2});
  graph g;
  int refusals = 0;
  graph::node a;
  a = g.add([&] {
    const auto refuses = [&](auto f) {
      try {
        f();
      } catch (const std::logic_error& problem) {
        refusals += std::string(problem.what()).find("the graph is running") != std::string::npos;
      }
    };
    refuses([&] { g.run(); });
    refuses([&] { g.add([] {}); });
    refuses([&] { a.precede(a); });
    refuses([&] { a.name("x"); });
  });
  e.run([&] { g.run(); });
  EXPECT_EQ(refusals, 4);
  e.run([&] { g.run(); });
  EXPECT_EQ(refusals, 8);
}

TEST(graph, runs_on_any_thread_but_not_inside_blocking) {
  graph g;
  int ran = 0;
  g.add([&] { ++ran; });
  g.run();
  engine e(shape{1});
  e.run([&] {
    g.run();
    engine::blocking([&] {
      try {
        g.run();
        ADD_FAILURE();
      } catch (const leat::not_a_worker& refused) {
        EXPECT_STREQ(refused.what(),
                     "leat::graph::run: this thread is inside leat::blocking or a thread hook, where it is no worker; "
                     "call it outside");
      }
    });
  });
  EXPECT_EQ(ran, 2);
}

// -- callables

TEST(graph, keeps_callables_of_any_size_that_only_move_and_destroys_each_once) {
  engine e(shape{2});
  const auto alive = std::make_shared<int>(0);
  std::atomic<int> sum{0};
  {
    graph g;
    g.add([&sum, alive] { sum += 1; });
    g.add([&sum, alive, own = std::make_unique<int>(10), ballast = std::array<char, 100>{}]() mutable {
      sum += *own + ballast[0];
      *own += 1;  // the same callable in every run
    });
    struct alignas(128) aligned {
      std::atomic<int>* sum;
      int operator()() const { return *sum += reinterpret_cast<std::uintptr_t>(this) % 128 == 0 ? 100 : 0; }
    };
    g.add(aligned{&sum});
    struct throws_in_copy {
      throws_in_copy() = default;
      throws_in_copy(const throws_in_copy&) { throw std::runtime_error("copied"); }
      void operator()() const {}
    } const bad;
    EXPECT_THROW(g.add(bad), std::runtime_error);
    EXPECT_EQ(g.size(), 3u);
    for (int i = 0; i < 2000; ++i) g.add([alive] {});
    EXPECT_EQ(alive.use_count(), 2003);
    e.run([&] { g.run(), g.run(); });
  }
  EXPECT_EQ(sum, 2 + 10 + 11 + 200);
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(graph, inside_a_node_of_another_one) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    checked_graph inner(100, 200, 5);
    checked_graph other(100, 200, 6);
    graph g;
    auto a = g.add([&] { inner.all.run(); });
    auto b = g.add([&] { other.all.run(); });
    g.add([&] { inner.all.run(), other.all.run(); }).succeed(a, b);
    e.run([&] { g.run(); });
    EXPECT_TRUE(inner.all_ran(2) && other.all_ran(2));
    EXPECT_EQ(inner.wrong + other.wrong, 0);
  });
}

// -- DOT

TEST(graph, is_written_in_dot) {
  graph g;
  auto a = g.add([] {}).name("say \"a\\b\"\nand more");
  auto b = g.add([] {});
  auto c = g.add([] {}).name("c");
  a.precede(b, c);
  c.succeed(b);
  const char* const text =
      "digraph {\n"
      "  n0 [label=\"say \\\"a\\\\b\\\"\\nand more\"];\n"
      "  n1 [label=\"#1\"];\n"
      "  n2 [label=\"c\"];\n"
      "  n0 -> n1;\n"
      "  n0 -> n2;\n"
      "  n1 -> n2;\n"
      "}\n";
  EXPECT_EQ(g.dot(), text);
  std::ostringstream out;
  out << g;
  EXPECT_EQ(out.str(), text);
  EXPECT_EQ(b.name(), "#1");
  EXPECT_EQ(c.name(), "c");
}

// -- large ones

TEST(graph, of_a_million_random_nodes_runs) {
  engine e(shape{2, shape{}.deque_capacity, 20'000});
  const auto nodes = static_cast<std::uint32_t>(reps(1'000'000));
  graph g;
  std::vector<graph::node> all;
  std::vector<std::uint32_t> depth(nodes);
  std::mt19937 draw(1);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const std::uint32_t a = n == 0 ? 0 : draw() % n;
    const std::uint32_t b = n == 0 ? 0 : draw() % n;
    auto& depths = depth;
    all.push_back(g.add([&depths, n, a, b] { depths[n] = n == 0 ? 1 : 1 + std::max(depths[a], depths[b]); }));
    if (n != 0) all[n].succeed(all[a], all[b]);
  }
  e.run([&] { g.run(); });
  std::vector<std::uint32_t> expected(nodes);
  draw.seed(1);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const std::uint32_t a = n == 0 ? 0 : draw() % n;
    const std::uint32_t b = n == 0 ? 0 : draw() % n;
    expected[n] = n == 0 ? 1 : 1 + std::max(expected[a], expected[b]);
  }
  EXPECT_EQ(depth, expected);
}

}  // namespace
