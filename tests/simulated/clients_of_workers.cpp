// Clients that are about who calls, blocks, throws, idles and is interrupted.
#include <cstdint>
#include <new>

#include "client_parts.hpp"

namespace leat_test::client {

// -- runs: of two threads at once, each ends when its own tasks are done

void two_threads(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  const auto call = [&](std::uint64_t key) {
    for (std::uint32_t i = 0; i < 1 + s.drawn(key, 3); ++i) {
      try {
        in_run(e, l, [&](node r) {
          spawn_tree(l, r, 1 + s.drawn(key + 1, 3), 1 + s.drawn(key + 2, 2));
          if (s.drawn(key + 3, 2) == 0) engine::barrier();
          plain_leaves(l, r, s.drawn(key + 4, 3));
        });
      } catch (const std::bad_alloc&) {
        if (!s.memory_may_fail) throw;
      }
    }
  };
  simulated::thread other([&] { call(10); });
  call(20);
  other.join();
}

void runtimes_come_and_go(const scene& s) {
  for (std::uint32_t i = 0; i < 1 + s.drawn(1, 3); ++i) {
    ledger l = new_ledger(s);
    engine e(s.of);
    for (std::uint32_t k = 0; k < s.drawn(10 + i, 3); ++k) in_run(e, l, [&](node r) { spawn_tree(l, r, k, 1); });
  }
}

// A task of one runtime has a run executed by another one, and that by a third thread's tasks.
void runtimes_call_each_other(const scene& s) {
  ledger l = new_ledger(s);
  engine outer(s.of), inner(s.of);
  in_run(outer, l, [&](node r) {
    spawn_tree(l, r, 2, 1);
    in_run(inner, l, [&](node q) { spawn_tree(l, q, 2, 2); });
  });
}

// -- blocking: who blocks keeps nobody from executing what it has, and waits for

void blocking(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  // As many as there are spares may wait for tasks; others only for time.
  const bool none = s.threads_may_fail || s.memory_may_fail || s.is(leat::protocol::published::prell);
  const std::uint32_t spares = none ? 0 : *s.of.spares;
  const std::uint32_t tasks = 1 + s.drawn(1, s.of.workers + 2);
  simulated::atomic<std::uint32_t> go{0};
  in_run(e, l, [&](node r) {
    for (std::uint32_t i = 0; i < tasks; ++i) {
      const node n = l.make(r);
      engine::spawn([&, n, i] {
        const execution x(l, n);
        spawn_tree(l, n, 1, 1);
        engine::blocking([&, i] {
          if (i >= spares) return simulated::sleep_ns(s.drawn(10 + i, 2000));
          while (go.load(leat::platform::acquire) == 0) simulated::wait(go, 0);
        });
        plain_leaves(l, n, 1);
      });
    }
    const node last = l.make(r);
    engine::spawn([&, last] {
      const execution x(l, last);
      go.store(1, leat::platform::release);
      simulated::wake_all(go);
    });
  });
}

// -- exceptions: the first comes out, when all has ended; what had not begun may be skipped

struct thrown {
  std::uint32_t number;
};

static std::uint32_t thrower(const scene& s, ledger& l, node me, std::uint32_t depth) {
  if (s.drawn(me + 500, 6) == 0) throw thrown{me};
  if (depth == 0) return 1;
  const node f = l.make(me), g = l.make(me);
  const auto [left, right] = engine::fork_join(
      [&, f, g, depth] {
        const execution x(l, f, g);
        return thrower(s, l, f, depth - 1);
      },
      [&, g, depth] {
        const execution x(l, g);
        return thrower(s, l, g, depth - 1);
      });
  l.await(ledger::nobody);
  return left + right;
}

// Whatever throws, nothing that `me` waited for goes on.
template <class F>
static void survives(ledger& l, F f) {
  try {
    f();
  } catch (const thrown&) {
  }
  l.await(ledger::nobody);
}

void exceptions(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  const auto body = [&](node r) {
    survives(l, [&] { thrower(s, l, r, 3); });
    survives(l, [&] {
      const node g = l.open(r);
      engine::task_group tasks;
      for (std::uint32_t i = 0; i < 3; ++i) {
        const node n = l.make(g);
        tasks.spawn([&, n] {
          const execution x(l, n);
          thrower(s, l, n, 1);
        });
      }
      const ledger::wait w(l, g);
      tasks.wait();
    });
    const node n = l.make(r);
    auto made = engine::async([&, n] {
      const execution x(l, n);
      return thrower(s, l, n, 2);
    });
    spawn_tree(l, r, 2, 1);
    survives(l, [&] {
      const ledger::wait w(l, n);
      made.get();
    });
    const node last = l.make(r);
    engine::spawn([&, last] {
      const execution x(l, last);
      thrower(s, l, last, 1);
    });
  };
  try {
    in_run(e, l, body, true);
  } catch (const thrown&) {
  }
}

// -- teams: the calling thread is a worker inside, and nothing outside

void teams(const scene& s) {
  ledger l = new_ledger(s);
  engine::team t(s.of);
  for (std::uint32_t i = 0; i < 1 + s.drawn(1, 4); ++i) {
    const node r = l.open(ledger::nobody);
    t.call([&] {
      const std::uint32_t depth = s.drawn(10 + i, 4);
      ledger::expect(plain_leaves(l, r, depth) == 1u << depth, "a result of a fork");
      if (s.drawn(20 + i, 2) != 0) group_tree(s, l, r, 1, false);
    });
    l.end_run(r, s.memory_may_fail);
    if (s.drawn(30 + i, 2) != 0) simulated::work_ns(3000);
  }
}

// -- places: threads that come and go are workers inside, several at once

// Joined even if the next one cannot be made for want of memory.
struct joined_thread {
  simulated::thread thread;
  ~joined_thread() {
    if (thread.joinable()) thread.join();
  }
};

void places(const scene& s) {
  if (s.waits_run_strangers() || s.threads_may_fail) return;  // as published, one thread is inside at a time
  ledger l = new_ledger(s);
  engine::places all(s.of);
  for (std::uint32_t round = 0; round < 1 + s.drawn(1, 3); ++round) {
    std::array<node, engine::places::number> roots;
    for (node& r : roots) r = l.open(ledger::nobody);
    std::array<joined_thread, engine::places::number> threads;
    for (std::uint32_t at = 0; at < engine::places::number; ++at) {
      threads[at].thread = simulated::thread([&, at, round] {
        const std::uint32_t depth = s.drawn(10 + 2 * round + at, 4);
        all.call(at, [&] {
          ledger::expect(plain_leaves(l, roots[at], depth) == 1u << depth, "a result of a fork");
          if (s.drawn(20 + 2 * round + at, 2) != 0) group_tree(s, l, roots[at], 1, false);
        });
        // PRIMARY-4: the thread may end, so no thief writes its words.
        auto& words = simulated::own<leat::deque::fork_words<simulated>>();
        words.limit.store(1, leat::platform::relaxed);
        simulated::work_ns(3000);
        ledger::expect(words.limit.load(leat::platform::relaxed) == 1, "the words of a thread that has left");
      });
    }
    for (joined_thread& t : threads) t.thread.join();
    for (const node& r : roots) l.end_run(r, s.memory_may_fail);
  }
}

// -- no worker idles while work waits: others take all that a busy worker has

void lifeline(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  const bool polls = s.drawn(1, 2) == 0 || s.of.interrupt_after_ns == 0 || s.gives_nothing_inside_a_task();
  const std::uint32_t tasks = s.of.workers == 1 || s.memory_may_fail || s.keeps_a_lone_task() ? 0 : 1 + s.drawn(2, 4);
  simulated::atomic<std::uint32_t> begun{0};
  const auto be_busy = [&](node me) {
    if (s.drawn(3, 2) == 0) simulated::work_ns(20'000);  // all are idle by then
    for (std::uint32_t i = 0; i < tasks; ++i) {
      const node n = l.make(me);
      engine::spawn([&l, &begun, n] {
        const execution x(l, n);
        begun.fetch_add(1, leat::platform::relaxed);
      });
    }
    while (begun.load(leat::platform::relaxed) != tasks) {
      simulated::work_ns(500);
      if (polls) engine::poll();
    }
  };
  in_run(e, l, [&](node r) {
    if (s.drawn(4, 2) == 0) return be_busy(r);
    spawn_tree(l, r, s.drawn(5, 4), 1);
    const node n = l.make(r);
    engine::spawn([&, n] {
      const execution x(l, n);
      be_busy(n);
    });
    if (s.drawn(6, 2) == 0) simulated::work_ns(s.drawn(7, 5'000));
  });
}

// The second callable of a fork is taken while the first one computes, and looks at nothing.
void long_fork(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  const bool taken = s.of.workers > 1 && s.of.interrupt_after_ns != 0 && !s.memory_may_fail && !s.keeps_a_lone_task() &&
                     !s.gives_nothing_inside_a_task();
  simulated::atomic<std::uint32_t> begun{0};
  const auto first = [&] {
    while (taken && begun.load(leat::platform::relaxed) == 0) simulated::work_ns(700);
  };
  const auto second = [&] { begun.store(1, leat::platform::relaxed); };
  in_run(e, l, [&](node) {
    if (s.drawn(1, 2) == 0) engine::fork_join(first, second);
    else
      engine::with_context([&](engine::context c) {
        engine::fork_join(c, [&](engine::context) { first(); }, [&](engine::context) { second(); });
      });
  });
}

// -- wait::any: any task of the run may be executed on top, and all is done in the end

void waits_any(const scene& s) {
  ledger l = new_ledger(s);
  engine e(s.of);
  in_run(e, l, [&](node r) {
    spawn_tree(l, r, 2, 2);
    const node n = l.make(r);
    auto made = engine::async([&, n] {
      const execution x(l, n);
      return plain_leaves(l, n, 2);
    });
    spawn_tree(l, r, s.drawn(1, 3), 1);
    const node g = l.open(r);
    engine::task_group tasks;
    for (std::uint32_t i = 0; i < s.drawn(2, 4); ++i) {
      const node t = l.make(g);
      tasks.spawn([&l, t] { const execution x(l, t); });
    }
    if (s.drawn(3, 2) == 0) {
      tasks.wait(leat::task::wait::any);
      l.end_group(g);
    }
    ledger::expect(made.get(leat::task::wait::any) == 4, "the result of a future");
    for (std::uint32_t i = 0; i < s.drawn(5, 4); ++i) {
      const node t = l.make(r);
      engine::spawn([&s, &l, t] {
        const execution x(l, t);
        const node inner = l.make(t);
        auto part = engine::async([&s, &l, inner] {
          const execution y(l, inner);
          simulated::work_ns(s.drawn(inner, 3'000));
          return plain_leaves(l, inner, 1);
        });
        spawn_tree(l, t, 1, 1);
        ledger::expect(part.get(leat::task::wait::any) == 2, "the result of a future");
        simulated::work_ns(s.drawn(t, 3'000));
        spawn_tree(l, t, 1, 1);
      });
    }
    if (s.drawn(4, 3) != 0) {
      engine::barrier();
      l.expect_done(r);
    }
    tasks.wait();
  });
}

// What a task waits for with wait::any may be another run's: nothing of its own run is left to do, but itself.
void waits_any_for_another_run(const scene& s) {
  if (s.of.workers < 2 || s.threads_may_fail || s.memory_may_fail || s.waits_run_strangers()) return;
  ledger l = new_ledger(s);
  engine e(s.of);
  simulated::atomic<engine::shared_future<std::uint32_t>*> made{nullptr};
  simulated::atomic<std::uint32_t> done{0};
  simulated::thread other([&] {
    in_run(e, l, [&](node r) {
      const node n = l.make(r);
      engine::shared_future<std::uint32_t> f = engine::async([&, n] {
                                                 const execution x(l, n);
                                                 simulated::work_ns(2'000 + s.drawn(1, 30'000));
                                                 return plain_leaves(l, n, 1);
                                               }).share();
      made.store(&f, leat::platform::release);  // pairs with the load below
      ledger::expect(f.get() == 2, "the result of a future");
      while (done.load(leat::platform::acquire) == 0) {  // pairs with the store below
        simulated::yield();
        engine::poll();
      }
    });
  });
  while (made.load(leat::platform::acquire) == nullptr) simulated::yield();
  in_run(e, l, [&](node r) {
    const node t = l.make(r);
    engine::spawn([&, t] {
      const execution x(l, t);
      ledger::expect(made.load(leat::platform::acquire)->get(leat::task::wait::any) == 2, "the result of a future");
      spawn_tree(l, t, 1, 1);
    });
    engine::barrier();
    l.expect_done(r);
  });
  done.store(1, leat::platform::release);
  other.join();
}

}  // namespace leat_test::client
