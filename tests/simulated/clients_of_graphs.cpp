// Clients that are about tasks which begin after others.
#include <array>
#include <cstdint>
#include <new>

#include "client_parts.hpp"

namespace leat_test::client {

namespace {

constexpr std::uint32_t nodes_max = 24;

// What each node has done, and whether one began before those that it waits for.
struct progress {
  std::array<bool, nodes_max> done{};
  std::uint32_t ran = 0;

  void begin(const scene& s, std::uint32_t n, std::uint32_t a, std::uint32_t b) {
    ledger::expect(!done[n], "a node is executed twice");
    ledger::expect(n == 0 || (done[a] && done[b]), "a node begins before one that precedes it");
    if (s.drawn(n + 300, 3) == 0) simulated::work_ns(s.drawn(n + 400, 2'000));
    ++ran;
    done[n] = true;
  }
};

// Two nodes before node n, which may be the same.
std::uint32_t before(const scene& s, std::uint32_t n, std::uint32_t which) {
  return n == 0 ? 0 : s.drawn(2 * n + which + 100, n);
}

}  // namespace

// A graph that runs some times, and in some of them is cancelled by a node: all nodes are executed, or those after it are not.
void graphs(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  const std::uint32_t nodes = 1 + s.drawn(1, nodes_max);
  in_run(e, l, [&](node) {
    engine::graph g;
    progress p;
    std::uint32_t cancels_at = nodes;
    std::array<engine::graph::node, nodes_max> all;
    for (std::uint32_t n = 0; n < nodes; ++n) {
      const std::uint32_t a = before(s, n, 0), b = before(s, n, 1);
      all[n] = g.add([&, n, a, b] {
        p.begin(s, n, a, b);
        if (n == cancels_at) g.cancel();
      });
      if (n != 0) all[n].succeed(all[a], all[b]);
    }
    for (std::uint32_t round = 0; round < 3; ++round) {
      cancels_at = s.drawn(round + 10, 2) == 0 ? s.drawn(round + 20, nodes) : nodes;
      p = {};
      g.run();
      ledger::expect(cancels_at < nodes || p.ran == nodes, "a node was not executed");
      ledger::expect(cancels_at == nodes || !g.cancelled(), "a graph stays cancelled");
    }
  });
}

// Tasks that wait for two others each, and are made by the root and by one of them.
void tasks_after(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  const std::uint32_t nodes = 2 + s.drawn(1, nodes_max - 1);
  in_run(e, l, [&](node) {
    progress p;
    std::array<engine::task_handle, nodes_max> all;
    bool later = false;
    {
      engine::task_group group;
      for (std::uint32_t n = 0; n < nodes; ++n) {
        const std::uint32_t a = before(s, n, 0), b = before(s, n, 1);
        all[n] = group.spawn_after({all[a], all[b]}, [&, n, a, b] {
          p.begin(s, n, a, b);
          if (n == nodes - 1) group.spawn_after({all[a]}, [&later] { later = true; });
        });
      }
      group.wait();
    }
    for (std::uint32_t n = 0; n < nodes; ++n) ledger::expect(all[n].done(), "a task is not done");
    ledger::expect(later && p.ran == nodes, "a task was not executed");
  });
}

}  // namespace leat_test::client
