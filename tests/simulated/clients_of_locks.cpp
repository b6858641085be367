// Clients of the runtime: locks. One that is held across a wait is not wanted by what the wait executes.
#include <cstdint>

#include "client_parts.hpp"

namespace leat_test::client {

namespace {

// A spin lock. A worker that spins for it polls, so that the worker that holds it gets what it awaits.
class lock {
 public:
  explicit lock(const scene& s) : polls_(s.of.interrupt_after_ns == 0) {}
  template <class F>
  void held_in(F body) {
    while (word_.exchange(1, leat::platform::acq_rel) != 0) {
      simulated::yield();
      if (polls_) engine::poll();  // what the lock's holder awaits may be in our deque
    }
    struct unlock {
      simulated::atomic<std::uint32_t>& word;
      ~unlock() { word.store(0, leat::platform::release); }
    } const guard{word_};
    body();
  }

 private:
  simulated::atomic<std::uint32_t> word_{0};
  bool polls_;
};

}  // namespace

void lock_across_waits(const scene& s) {
  if (s.waits_run_strangers()) return;
  ledger l = new_ledger(s);
  engine e(s.of);
  lock one(s);
  const auto locking = [&](node me, std::uint32_t key) {
    one.held_in([&] {
      if (key % 2 == 0) {
        plain_leaves(l, me, 2);
      } else {
        group_tree(s, l, me, 1, false);
      }
    });
  };
  in_run(
      e, l,
      [&](node r) {
        for (std::uint32_t i = 0; i < 2 + s.drawn(1, 3); ++i) {
          const node n = l.make(r);
          engine::spawn([&, n, i] {
            const execution x(l, n);
            locking(n, s.drawn(10 + i, 2));
          });
        }
        locking(r, s.drawn(2, 2));
      },
      s.memory_may_fail);
}

// A task of a group holds the lock and forks. The worker that waits for the group steals such a fork from the worker that executes the
// task. It has an older fork, which takes the lock: if it gave that one, the worker that holds the lock would wait for itself (LEAPFROG-3).
void lock_wanted_by_forks(const scene& s) {
  if (s.waits_run_strangers()) return;
  ledger l = new_ledger(s);
  engine e(s.of);
  lock one(s);
  in_run(
      e, l,
      [&](node r) {
        const node g = l.open(r), n = l.make(g);
        engine::task_group holders;
        holders.spawn([&] {
          const execution x(l, n);
          one.held_in([&] { plain_leaves(l, n, 2 + s.drawn(1, 2)); });
        });
        simulated::work_ns(s.drawn(2, 2'000));
        const node first = l.make(r), second = l.make(r);
        engine::fork_join(
            [&] {
              const execution x(l, first, second);
              {
                const ledger::wait w(l, g);
                holders.wait();
              }
              l.end_group(g, s.memory_may_fail);
            },
            [&] {
              const execution x(l, second);
              one.held_in([] {});
            });
        l.await(ledger::nobody);
      },
      s.memory_may_fail);
}

}  // namespace leat_test::client
