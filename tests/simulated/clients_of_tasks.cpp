// Clients that are about what tasks do, and wait for.
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include "client_parts.hpp"

namespace leat_test::client {

// -- forks: every callable once, joins run only what descends from them, results come back

void forks_plain(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  const std::uint32_t depth = 2 + s.drawn(1, 4);
  in_run(e, l, [&](node r) { ledger::expect(plain_leaves(l, r, depth) == 1u << depth, "a result of a fork"); });
}

std::uint32_t context_leaves(engine::context c, ledger& l, node me, std::uint32_t depth) {
  if (depth == 0) return 1;
  const node f = l.make(me), g = l.make(me);
  const auto [left, right] = engine::fork_join(
      c,
      [&l, f, g, depth](engine::context in) {
        const execution x(l, f, g);
        return context_leaves(in, l, f, depth - 1);
      },
      [&l, g, depth](engine::context in) {
        const execution x(l, g);
        // Plain code in context code, and back.
        if (depth == 2) return plain_leaves(l, g, 1);
        return context_leaves(in, l, g, depth - 1);
      });
  l.await(ledger::nobody);
  return left + right;
}

void forks_context(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  const std::uint32_t depth = 2 + s.drawn(1, 4);
  in_run(e, l, [&](node r) {
    engine::with_context([&](engine::context c) {
      ledger::expect(context_leaves(c, l, r, depth) == 1u << depth, "a result of a fork");
    });
  });
}

// -- spawns and barriers: at a barrier, and at the end of a run, all is done

void spawns_and_barriers(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  in_run(e, l, [&](node r) {
    for (std::uint32_t round = 0; round < 1 + s.drawn(1, 3); ++round) {
      spawn_tree(l, r, 1 + s.drawn(2, 3), 1 + s.drawn(3, 3));
      if (s.drawn(4 + round, 4) == 0) continue;
      // So long that thieves find out that there is nothing to steal. The run goes on, and this barrier waits for what follows.
      if (s.drawn(8 + round, 3) == 0) {
        simulated::work_ns(4000);
        spawn_tree(l, r, 1 + s.drawn(16 + round, 3), 1);
      }
      engine::barrier();
      l.expect_done(r);
      if (s.drawn(12 + round, 3) == 0) simulated::work_ns(4000);  // nor the next one
    }
  });
}

// -- groups: when wait() returns no task of the group executes, nor will; cancelled ones are skipped, the others are not

void groups(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  in_run(e, l, [&](node r) { group_tree(s, l, r, 1 + s.drawn(1, 2), false); }, s.memory_may_fail);
}

// A group in each task, as deep as that, whose tasks take long enough to be worth asking ahead for. Gives the number of leaves.
std::uint32_t leaves_of_groups(const scene& s, ledger& l, node me, std::uint32_t depth) {
  if (depth == 0) return 1;
  constexpr std::uint32_t tasks_max = 3;
  std::array<std::uint32_t, tasks_max> found{};
  const node g = l.open(me);
  engine::task_group group;
  for (std::uint32_t i = 0; i < tasks_max; ++i) {
    const node t = l.make(g);
    group.spawn([&s, &l, t, depth, &here = found[i]] {
      const execution x(l, t);
      simulated::work_ns(s.drawn(t, 1'000));
      here = leaves_of_groups(s, l, t, depth - 1);
    });
  }
  group.wait();
  l.end_group(g);
  return found[0] + found[1] + found[2];
}

void groups_in_recursion(const scene& s) {
  if (s.memory_may_fail) return;  // groups() has that
  ledger l = new_ledger(s);
  engine e(s.of);
  in_run(e, l, [&](node r) { ledger::expect(leaves_of_groups(s, l, r, 4) == 81, "the number of leaves"); });
}

void groups_cancelled(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  in_run(e, l, [&](node r) { group_tree(s, l, r, 1 + s.drawn(1, 2), true); }, true);
}

// Who helps in a wait of the first callable leaves the second one alone.
void groups_in_forks(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  in_run(e, l, [&](node r) {
    const node f = l.make(r), g = l.make(r);
    engine::fork_join(
        [&] {
          const execution x(l, f, g);
          group_tree(s, l, f, 2 + s.drawn(1, 2), false);
        },
        [&] {
          const execution x(l, g);
          simulated::work_ns(s.drawn(2, 1'000));
        });
    l.await(ledger::nobody);
  });
}

// -- futures: passed on from task to task, and one for which several wait

// Each future is got by the task that made it.
static std::uint32_t future_leaves(ledger& l, node me, std::uint32_t depth) {
  if (depth == 0) return 1;
  const node n = l.make(me);
  engine::future<std::uint32_t> left = engine::async([&l, n, depth] {
    const execution x(l, n);
    return future_leaves(l, n, depth - 1);
  });
  const std::uint32_t right = future_leaves(l, me, depth - 1);
  const ledger::wait w(l, n);
  return left.get() + right;
}

void futures(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  if (s.waits_run_strangers()) {  // in a chain one that comes on top of what it waits for throws leat::deadlock
    const std::uint32_t depth = s.drawn(1, 5);
    in_run(e, l, [&](node r) { ledger::expect(future_leaves(l, r, depth) == 1u << depth, "the results of futures"); });
    return;
  }
  in_run(e, l, [&](node r) {
    node awaited = l.make(r);
    engine::future<std::uint32_t> last = engine::async([&l, awaited] {
      const execution x(l, awaited);
      return plain_leaves(l, awaited, 2);
    });
    const std::uint32_t links = s.drawn(1, 6);
    for (std::uint32_t i = 0; i < links; ++i) {
      const node n = l.make(r);
      last = engine::async([&l, n, awaited, before = std::move(last)]() mutable {
        const execution x(l, n);
        const ledger::wait w(l, awaited);
        return before.get() + 1;
      });
      awaited = n;
      spawn_tree(l, r, 1, 1);  // a stranger between them
    }
    const ledger::wait w(l, awaited);
    ledger::expect(last.get() == 4 + links, "the result of a chain of futures");
  });
}

void futures_shared(const scene& s) {
  if (s.waits_run_strangers()) return;  // one that comes on top of what it waits for throws leat::deadlock
  ledger l = new_ledger(s);
  engine e(s.of);
  in_run(e, l, [&](node r) {
    const node one = l.make(r);
    const engine::shared_future<std::uint32_t> shared = engine::async([&l, one] {
                                                          const execution x(l, one);
                                                          simulated::work_ns(300);
                                                          return plain_leaves(l, one, 3);
                                                        }).share();
    for (std::uint32_t i = 0; i < 2 + s.drawn(1, 4); ++i) {
      const node n = l.make(r);
      engine::spawn([&l, n, one, shared] {
        const execution x(l, n);
        const ledger::wait w(l, one);
        ledger::expect(shared.get() == 8, "the result of a shared future");
      });
    }
  });
}

// -- loops: every index once

void loops(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  constexpr std::uint32_t most = 40;
  std::array<std::uint8_t, most> seen{};
  const std::uint32_t end = s.drawn(1, most);
  in_run(e, l, [&](node r) {
    const node loop = l.open(r);
    {
      const ledger::wait w(l, loop);
      engine::parallel_for(0u, end, [&](std::uint32_t i) {
        const node n = l.make(loop);
        const execution x(l, n);
        ++seen[i];
        simulated::work_ns(s.drawn(i, 50));
        if (s.drawn(i + 100, 8) == 0) plain_leaves(l, n, 1);
      });
    }
    for (std::uint32_t i = 0; i < end; ++i) ledger::expect(seen[i] == 1, "each index of a loop once");
    const std::uint32_t sum = engine::parallel_reduce(
        0u, end, 0u,
        [&](std::uint32_t i) {
          simulated::work_ns(20);
          return i;
        },
        std::plus<>());
    ledger::expect(end == 0 ? sum == 0 : sum == end * (end - 1) / 2, "the result of a reduction");
  });
}

// The body's copies that live.
struct counted_copies {
  explicit counted_copies(std::uint32_t& n) : alive(n) { ++alive; }
  counted_copies(const counted_copies& o) : alive(o.alive) { ++alive; }
  counted_copies& operator=(const counted_copies&) = delete;
  ~counted_copies() { --alive; }
  std::uint32_t& alive;
};

void loops_spawned(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  constexpr std::uint32_t most = 40;
  std::array<std::uint8_t, most> seen{}, seen_plain{};
  std::uint32_t alive = 0;
  const std::uint32_t end = s.drawn(1, most);
  // Out here, as plain tasks may outlive the root of their run.
  const auto one = [&](node of, std::uint8_t& times, std::uint32_t i) {
    const node n = l.make(of);
    const execution x(l, n);
    ++times;
    simulated::work_ns(s.drawn(i, 2'000));
    if (s.drawn(i + 100, 8) == 0) plain_leaves(l, n, 1);
  };
  const auto run_all = [&] {
    in_run(
        e, l,
        [&](node r) {
          engine::spawn_for(0u, end,
                            [&, r, copies = counted_copies(alive)](std::uint32_t i) { one(r, seen_plain[i], i); });
          const node g = l.open(r);
          {
            engine::task_group group;
            engine::spawn_for(group, 0u, end,
                              [&, copies = counted_copies(alive)](std::uint32_t i) { one(g, seen[i], i); });
            const ledger::wait w(l, g);
            group.wait();
          }
          for (std::uint32_t i = 0; i < end; ++i) ledger::expect(seen[i] == 1, "each index of a spawned loop once");
          engine::barrier();
          for (std::uint32_t i = 0; i < end; ++i) ledger::expect(seen_plain[i] == 1, "and of a plain one");
          ledger::expect(alive == 0, "a body lives no longer than its loop");
        },
        s.memory_may_fail);
  };
  try {
    run_all();
  } catch (...) {
    ledger::expect(alive == 0, "a body that was not spawned is no more");
    throw;
  }
}

}  // namespace leat_test::client
