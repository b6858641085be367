// Runtimes that share CPUs (rules BUDGET): together they keep few workers busy, each goes on, and none idles beside work where
// there is room.
#include <gtest/gtest.h>

#include <cstdint>

#include "client_parts.hpp"
#include "leat/handshake/budget.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/protocol/random.hpp"
#include "workers_of_run.hpp"

namespace {

using leat::platform::at_random;
using leat::platform::relaxed;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::workers_of_run;
using leat_test::client::engine;
using budget = leat::handshake::budget<simulated>;
using word = simulated::atomic<std::uint32_t>;

shape shape_with(std::uint32_t workers, std::uint64_t spin_ns, std::uint32_t spares) {
  shape s{workers};
  s.spin_ns = spin_ns;
  s.spares = spares;
  s.interrupt_after_ns = 0;
  s.published = leat::protocol::published::none;
  return s;
}

template <class Look>
void until(const word& happened, std::uint32_t times, Look look) {
  constexpr std::uint64_t patience_ns = 1'000'000;
  const std::uint64_t end = simulated::now_ns() + patience_ns;
  while (happened.load(relaxed) < times) {
    if (simulated::now_ns() > end) simulation::current()->fail("a worker idles beside work");
    simulated::work_ns(200);
    look();
  }
}

// body(draws) in worlds whose threads stall.
template <class Body>
void in_worlds(std::uint32_t threads, Body body) {
  constexpr std::uint64_t stall_ns = 8'000, steps_max = 600;
  for (int seed = 0; seed < leat_test::reps(2'000); ++seed) {
    at_random drawn(static_cast<std::uint64_t>(seed), 1u << seed % 6);
    leat::protocol::random draws(static_cast<std::uint64_t>(seed));
    simulation::settings settings;
    for (int stalls = 0; stalls < 2; ++stalls) {
      const auto thread = static_cast<std::uint32_t>(draws() % (threads + 1));
      const auto step = static_cast<std::uint32_t>(draws() % steps_max);
      settings.faults.stalls.push_back({thread, step, static_cast<std::uint32_t>(draws() % stall_ns)});
    }
    const auto end = simulation(settings, drawn).run([&] { body(draws); });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
  }
}

void tree_of(workers_of_run& in, leat::protocol::random& draws, std::uint32_t depth) {
  for (std::uint32_t i = 0; i < 3; ++i) {
    engine::spawn([&in, &draws, depth] {
      const workers_of_run::execution x(in);
      simulated::work_ns(draws() % 3'000);
      if (depth > 1) tree_of(in, draws, depth - 1);
    });
  }
}

// Each of two runs has a worker in any case, so one more than there are CPUs may be busy.
TEST(budget, bounds_the_busy_workers_of_two_runtimes) {
  for (const std::uint64_t spin_ns : {0u, 1'000u}) {
    in_worlds(8, [spin_ns](leat::protocol::random& draws) {
      constexpr std::uint32_t cpus = 2;
      budget shared(cpus);
      workers_of_run busy(cpus + 1);
      engine a(shape_with(3, spin_ns, 0), shared), b(shape_with(3, spin_ns, 0), shared);
      const auto call = [&](engine& e) {
        for (int i = 0; i < 2; ++i) {
          e.run([&] {
            const workers_of_run::execution x(busy);
            tree_of(busy, draws, 2);
            if (draws() % 2 == 0) engine::barrier();
            tree_of(busy, draws, 1);
          });
        }
      };
      simulated::thread other([&] { call(a); });
      call(b);
      other.join();
    });
  }
}

// When the first runtime's run ends, the second one, whose root waits with tasks, gets a thief (BUDGET-4).
TEST(budget, gives_a_starved_runtime_what_another_leaves) {
  for (const std::uint64_t spin_ns : {0u, 1'000u}) {
    in_worlds(6, [spin_ns](leat::protocol::random& draws) {
      budget shared(2);
      engine a(shape_with(2, spin_ns, 0), shared), b(shape_with(2, spin_ns, 0), shared);
      workers_of_run busy(3);
      word done{0};
      simulated::thread other([&] {
        for (int i = 0; i < 2; ++i) a.run([&] { tree_of(busy, draws, 2); });
      });
      b.run([&] {
        for (std::uint32_t i = 1; i <= 3; ++i) {
          engine::spawn([&] { done.fetch_add(1, relaxed); });
          until(done, i, engine::poll);
          simulated::work_ns(draws() % 4'000);
        }
      });
      other.join();
    });
  }
}

// A worker that blocks leaves its CPU to the one that takes its place, which the blocked task waits for.
TEST(budget, lets_a_compensating_worker_take_the_place_of_a_blocked_one) {
  in_worlds(6, [](leat::protocol::random& draws) {
    budget shared(1);
    engine a(shape_with(1, 0, 1), shared), b(shape_with(1, 0, 1), shared);
    const auto call = [&](engine& e) {
      e.run([&] {
        word done{0};
        engine::spawn([&] {
          simulated::work_ns(draws() % 2'000);
          done.store(1, relaxed);
          simulated::wake_all(done);
        });
        engine::blocking([&] { until(done, 1, [] { simulated::yield(); }); });
      });
    };
    simulated::thread other([&] { call(a); });
    call(b);
    other.join();
  });
}

// A runtime that ends while another one leaves and calls is called no more (BUDGET-5).
TEST(budget, outlives_its_runtimes) {
  in_worlds(6, [](leat::protocol::random& draws) {
    budget shared(1);
    engine a(shape_with(2, 0, 0), shared);
    workers_of_run busy(3);
    simulated::thread other([&] {
      for (int i = 0; i < 2; ++i) {
        engine b(shape_with(2, 0, 0), shared);
        b.run([&] { tree_of(busy, draws, 1); });
      }
    });
    for (int i = 0; i < 2; ++i) a.run([&] { tree_of(busy, draws, 1); });
    other.join();
  });
}

}  // namespace
