// Clients that are about runs with a cap on their workers (rules CAP).
#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "client_parts.hpp"
#include "workers_of_run.hpp"

namespace leat_test::client {

namespace {

// What tasks of a capped run do, each in the ledger and among the run's workers.
class capped_tasks {
 public:
  capped_tasks(const scene& s, ledger& l, std::uint32_t cap) : scene_(s), ledger_(l), workers_(cap) {}

  void root(node r) {
    const workers_of_run::execution x(workers_);
    spawn(r, 1 + scene_.drawn(r + 1, 3), 2);
    ledger::expect(fork(r, scene_.drawn(r + 2, 4)) != 0, "the result of a fork");
    wait_for_any(r);
    if (scene_.drawn(r + 3, 2) == 0) engine::barrier();
    spawn(r, scene_.drawn(r + 4, 4), 1);
    if (scene_.drawn(r + 5, 3) == 0) block(r);
  }

 private:
  void spawn(node me, std::uint32_t children, std::uint32_t depth) {
    for (std::uint32_t i = 0; i < children; ++i) {
      const node n = ledger_.make(me);
      engine::spawn([this, n, children, depth] {
        const execution x(ledger_, n);
        const workers_of_run::execution y(workers_);
        simulated::work_ns(scene_.drawn(n + 100, 2'000));
        if (depth > 1) spawn(n, children, depth - 1);
        if (scene_.drawn(n + 200, 4) == 0) wait_for_any(n);
        if (scene_.drawn(n + 300, 6) == 0) block(n);
      });
    }
  }

  std::uint32_t fork(node me, std::uint32_t depth) {
    if (depth == 0) return 1;
    const node f = ledger_.make(me), g = ledger_.make(me);
    const auto [left, right] = engine::fork_join(
        [this, f, g, depth] {
          const execution x(ledger_, f, g);
          const workers_of_run::execution y(workers_);
          return fork(f, depth - 1);
        },
        [this, g, depth] {
          const execution x(ledger_, g);
          const workers_of_run::execution y(workers_);
          return fork(g, depth - 1);
        });
    ledger_.await(ledger::nobody);
    return left + right;
  }

  // While it waits, it may execute any task of the run: no ledger's wait.
  void wait_for_any(node me) {
    engine::task_group tasks;
    const node g = ledger_.open(me);
    for (std::uint32_t i = 0; i < 1 + scene_.drawn(me + 400, 3); ++i) {
      const node n = ledger_.make(g);
      tasks.spawn([this, n] {
        const execution x(ledger_, n);
        const workers_of_run::execution y(workers_);
        simulated::work_ns(scene_.drawn(n + 500, 3'000));
      });
    }
    tasks.wait(leat::task::wait::any);
    ledger_.end_group(g);
  }

  void block(node me) {
    const node n = ledger_.make(me);
    engine::spawn([this, n] {
      const execution x(ledger_, n);
      const workers_of_run::execution y(workers_);
    });
    engine::blocking([&] { simulated::sleep_ns(scene_.drawn(me + 600, 2'000)); });
  }

  const scene& scene_;
  ledger& ledger_;
  workers_of_run workers_;
};

}  // namespace

// Two threads, whose runs share the workers, each with a cap of its own. Published schedulers refuse one.
void runs_capped(const scene& s) {
  if (s.threads_may_fail || s.memory_may_fail) return;
  ledger l = new_ledger(s);
  l.allow_strangers();  // in waits for any task
  engine e(s.of);
  const std::uint32_t all = s.of.workers + *s.of.spares;
  const bool caps = !s.of.published || s.is(leat::protocol::published::none);
  const auto call = [&](std::uint64_t key) {
    for (std::uint32_t i = 0; i < 1 + s.drawn(key, 2); ++i) {
      const std::uint32_t cap = 1 + s.drawn(key + 1 + i, s.of.workers);
      capped_tasks tasks(s, l, cap);
      const node r = l.make();
      try {
        e.run_capped(cap, [&] {
          const execution x(l, r);
          tasks.root(r);
        });
        ledger::expect(caps || cap >= all, "a published scheduler caps a run");
        l.end_run(r);
      } catch (const std::invalid_argument&) {
        ledger::expect(!caps && cap < all, "a cap is refused");
        l.end_run(r, true);
      }
    }
  };
  simulated::thread other([&] { call(10); });
  call(20);
  other.join();
}

}  // namespace leat_test::client
