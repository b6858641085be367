// What clients are made of.
#pragma once

#include <cstdint>

#include "clients.hpp"
#include "leat/entry/instances.hpp"
#include "leat/platform/simulated.hpp"
#include "ledger.hpp"

namespace leat_test::client {

using leat::platform::simulated;
using engine = engine_on<simulated>;
using node = ledger::node;
using execution = ledger::execution;

// Calls body(run) as the root of a run. All that descends from the run is done when it returns; or else has not begun, if
// something was thrown.
template <class F>
void in_run(engine& e, ledger& l, F body, bool skipped = false) {
  const node r = l.make();
  try {
    e.run([&] {
      const execution x(l, r);
      body(r);
    });
  } catch (...) {
    l.end_run(r, true);
    throw;
  }
  l.end_run(r, skipped);
}

inline ledger new_ledger(const scene& s) {
  ledger l;
  if (s.memory_may_fail || s.waits_run_strangers()) l.allow_strangers();
  return l;
}

// Forks, as deep as that. Gives the number of leaves.
inline std::uint32_t plain_leaves(ledger& l, node me, std::uint32_t depth) {
  if (depth == 0) return 1;
  const node f = l.make(me), g = l.make(me);
  const auto [left, right] = engine::fork_join(
      [&l, f, g, depth] {
        const execution x(l, f, g);
        return plain_leaves(l, f, depth - 1);
      },
      [&l, g, depth] {
        const execution x(l, g);
        return plain_leaves(l, g, depth - 1);
      });
  l.await(ledger::nobody);
  return left + right;
}

// Spawned tasks that spawn tasks.
inline void spawn_tree(ledger& l, node me, std::uint32_t children, std::uint32_t depth) {
  for (std::uint32_t i = 0; i < children; ++i) {
    const node n = l.make(me);
    engine::spawn([&l, n, children, depth] {
      const execution x(l, n);
      if (depth > 1) spawn_tree(l, n, children, depth - 1);
    });
  }
}

// Groups in tasks of groups.
inline void group_tree(const scene& s, ledger& l, node me, std::uint32_t depth, bool cancels) {
  const node g = l.open(me);
  engine::task_group tasks;
  for (std::uint32_t i = 0; i < 1 + s.drawn(me, 4); ++i) {
    const node n = l.make(g);
    tasks.spawn([&s, &l, &tasks, n, g, depth, cancels] {
      const execution x(l, n);
      if (depth > 1) group_tree(s, l, n, depth - 1, cancels);
      if (cancels && s.drawn(n + 1000, 5) == 0) tasks.cancel();
      if (s.drawn(n + 2000, 4) != 0) return;
      const node later = l.make(g);  // a task of the same group, from whoever executes this one
      tasks.spawn([&l, later] { const execution in(l, later); });
    });
  }
  {
    const ledger::wait w(l, g);
    tasks.wait();
  }
  l.end_group(g, cancels || s.memory_may_fail);
}

}  // namespace leat_test::client
