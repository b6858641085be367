// What graphs and dependent tasks count (rules GRAPH and AFTER), in every schedule with a few preemptions: each is begun once, by a
// thread that sees what all before it did.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>

#include "engines.hpp"
#include "every_schedule.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/task/dependent.hpp"
#include "leat/task/graph_nodes.hpp"

namespace {

using leat::platform::relaxed;
using leat::platform::simulated;
using leat_test::expect_here;
using leat_test::in_every_schedule;
using leat_test::shape;
using engine = leat_test::engine_on<simulated>;

// GRAPH-2, GRAPH-3: three predecessors end at once, in two runs. Their work is a plain word each.
TEST(every_schedule, of_nodes_that_are_counted_down) {
  const std::uint64_t worlds = in_every_schedule([] {
    leat::task::graph_node<simulated> n;
    int begun = 0;
    const auto call = [&begun] { ++begun; };
    n.keep<decltype(call)>(call);
    n.wait_for(3);
    for (int run = 1; run <= 2; ++run) {
      std::array<simulated::atomic<std::uint32_t>, 3> done{};
      const auto end = [&](std::size_t i) {
        done[i].store(1, relaxed);
        if (!n.counts_down()) return;
        for (auto& d : done) expect_here(d.load(relaxed) == 1, "a node begins before one that precedes it (GRAPH-2)");
        n.begin();
      };
      simulated::thread a([&] { end(0); }), b([&] { end(1); });
      end(2);
      a.join();
      b.join();
      expect_here(begun == run, "a node is begun twice, or not at all (GRAPH-2)");
    }
    n.drop();
  });
  EXPECT_GT(worlds, 100u);
}

// A dependent task without a group: the test counts the threads that get the right to spawn it.
class plain_task final : public leat::task::dependent<simulated> {
 public:
  explicit plain_task(std::uint32_t waits) : dependent(nullptr, &act, nullptr, waits) {}
  std::array<link, 2> links{};
  int freed = 0;

 private:
  static void act(dependent& of, action what) {
    if (what == action::free) ++static_cast<plain_task&>(of).freed;
  }
};

// AFTER-1, AFTER-2: a task waits for two that end meanwhile. Whoever counts last spawns it, once, and both are done then.
TEST(every_schedule, of_a_task_that_waits_for_two) {
  const std::uint64_t worlds = in_every_schedule([] {
    plain_task a(0), b(0), c(2);
    int spawned = 0;
    const auto spawn = [&](leat::task::dependent<simulated>&) {
      expect_here(a.done() && b.done(), "a task is spawned before one that it waits for is done (AFTER-2)");
      ++spawned;
      return true;
    };
    simulated::thread first([&] { expect_here(a.end(spawn) == nullptr, "a task could not be spawned"); });
    simulated::thread second([&] { expect_here(b.end(spawn) == nullptr, "a task could not be spawned"); });
    std::uint32_t done = 1;
    if (!c.wait_for(a, c.links[0])) ++done;
    if (!c.wait_for(b, c.links[1])) ++done;
    if (c.counts_down(done)) static_cast<void>(spawn(c));
    first.join();
    second.join();
    expect_here(spawned == 1, "a task is spawned twice, or not at all (AFTER-2)");
    expect_here(!c.done(), "a task is done that was not executed");
    static_cast<void>(c.end(spawn));
    for (plain_task* t : {&a, &b, &c}) {
      expect_here(t->freed == 0, "a block is freed that a handle knows (AFTER-4)");
      t->drop();
      expect_here(t->freed == 1, "a block is not freed (AFTER-4)");
    }
  });
  EXPECT_GT(worlds, 100u);
}

// AFTER-1, AFTER-3: two tasks wait for one that ends meanwhile. The links of a task go when it begins.
TEST(every_schedule, of_two_tasks_that_wait_for_one) {
  in_every_schedule([] {
    plain_task a(0), b(1), c(1);
    std::array<int, 2> spawned{};
    const auto spawn = [&](leat::task::dependent<simulated>& t) {
      expect_here(a.done(), "a task is spawned before one that it waits for is done (AFTER-2)");
      ++spawned[&t == &b ? 0 : 1];
      static_cast<plain_task&>(t).links = {};
      return true;
    };
    const auto wait = [&](plain_task& t) {
      if (t.counts_down(t.wait_for(a, t.links[0]) ? 1 : 2)) static_cast<void>(spawn(t));
    };
    simulated::thread first([&] { static_cast<void>(a.end(spawn)); });
    simulated::thread second([&] { wait(b); });
    wait(c);
    first.join();
    second.join();
    expect_here(spawned[0] == 1 && spawned[1] == 1, "a task is spawned twice, or not at all (AFTER-2)");
  });
}

// The same with workers: a square of four nodes and one apart, twice. Then a node throws, and the graph runs once more.
TEST(every_schedule, of_a_graph_that_runs_twice) {
  const std::uint64_t worlds = in_every_schedule(
      [] {
        shape s{2};
        s.spares = 0;
        engine e(s);
        engine::graph g;
        std::array<int, 4> ran{};
        int apart = 0;
        bool throws = false;
        const auto add = [&](std::size_t i) { return g.add([&ran, i] { ++ran[i]; }); };
        auto a = add(0), b = add(1), c = add(2);
        auto d = g.add([&] {
          expect_here(ran[1] == ran[0] && ran[2] == ran[0] && ran[3] + 1 == ran[0], "a node begins before (GRAPH-2)");
          if (throws) throw std::runtime_error("bad");
          ++ran[3];
        });
        g.add([&] { ++apart; });
        a.precede(b, c);
        d.succeed(b, c);
        e.run([&] {
          g.run();
          g.run();
          expect_here(ran == std::array{2, 2, 2, 2} && apart == 2, "a node is begun twice, or not at all (GRAPH-2)");
          throws = true;
          bool threw = false;
          try {
            g.run();
          } catch (const std::runtime_error&) {
            threw = true;
          }
          expect_here(threw && ran[3] == 2, "an exception is lost");
          throws = false;
          ran = {};
          g.run();
          expect_here(ran == std::array{1, 1, 1, 1}, "a graph that threw is not as good as new (GRAPH-8)");
        });
      },
      1);
  EXPECT_GT(worlds, 100u);
}

}  // namespace
