// Runs with a cap on their workers (rules CAP): it holds at every moment, and beneath it no worker idles beside work.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "client_parts.hpp"
#include "every_schedule.hpp"
#include "leat/handshake/admission.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/protocol/random.hpp"
#include "workers_of_run.hpp"

namespace {

using leat::platform::at_random;
using leat::platform::relaxed;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::expect_here;
using leat_test::in_every_schedule;
using leat_test::shape;
using leat_test::workers_of_run;
using leat_test::client::engine;
using word = simulated::atomic<std::uint32_t>;

shape shape_with(std::uint32_t workers, std::uint64_t spin_ns) {
  shape s{workers};
  s.spin_ns = spin_ns;
  s.spares = 0;
  s.interrupt_after_ns = 0;
  s.published = leat::protocol::published::none;
  return s;
}

template <class Look>
void until(const word& happened, std::uint32_t times, Look look) {
  constexpr std::uint64_t patience_ns = 1'000'000;
  const std::uint64_t end = simulated::now_ns() + patience_ns;
  while (happened.load(relaxed) != times) {
    if (simulated::now_ns() > end) simulation::current()->fail("a worker idles beside work");
    simulated::work_ns(200);
    look();
  }
}

// A root with a cap, in worlds where the workers begin at different times and stall.
template <class Root>
void run_in_worlds(const shape& workers, std::uint32_t cap, Root root) {
  constexpr std::uint64_t busy_ns = 4'000, stall_ns = 8'000, steps_max = 400;
  for (int seed = 0; seed < leat_test::reps(2'000); ++seed) {
    at_random drawn(static_cast<std::uint64_t>(seed), 1u << seed % 6);
    leat::protocol::random draws(static_cast<std::uint64_t>(seed));
    simulation::settings settings;
    for (int stalls = 0; stalls < 2; ++stalls) {
      const auto thread = static_cast<std::uint32_t>(draws() % (workers.workers + 1));
      const auto step = static_cast<std::uint32_t>(draws() % steps_max);
      settings.faults.stalls.push_back({thread, step, static_cast<std::uint32_t>(draws() % stall_ns)});
    }
    const auto end = simulation(settings, drawn).run([&] {
      engine e(workers);
      workers_of_run in(cap);
      e.run_capped(cap, [&] {
        const workers_of_run::execution x(in);
        simulated::work_ns(draws() % busy_ns);
        root(in);
      });
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
  }
}

// One thief at a time has a task of the root, and the others' requests are pooled. The next task needs a thief again, when one has
// left (CAP-3, CAP-4).
TEST(capped, has_a_thief_again_when_one_has_left) {
  for (const std::uint64_t spin_ns : {0u, 1'000u}) {
    run_in_worlds(shape_with(4, spin_ns), 2, [](workers_of_run& in) {
      word done{0};
      for (std::uint32_t i = 1; i <= 4; ++i) {
        engine::spawn([&] {
          const workers_of_run::execution x(in);
          done.fetch_add(1, relaxed);
        });
        until(done, i, engine::poll);
        simulated::work_ns(i % 2 == 0 ? 3'000 : 10);
      }
    });
  }
}

// A worker that waits for any task of the run counts, and is to have one, also while others that may have none are pooled.
TEST(capped, gives_to_a_worker_of_its_own_that_waits) {
  for (const std::uint64_t spin_ns : {0u, 1'000u}) {
    run_in_worlds(shape_with(4, spin_ns), 2, [](workers_of_run& in) {
      word begun{0}, done{0};
      word ends{0};
      engine::spawn([&] {
        const workers_of_run::execution x(in);
        auto last = engine::async([&] {  // executed here; it waits by polls until the root has had its tasks done
          const workers_of_run::execution y(in);
          begun.store(1, relaxed);
        });
        last.get();
        engine::task_group none;
        none.spawn([&] {
          const workers_of_run::execution y(in);
          ends.fetch_add(1, relaxed);
        });
        none.wait(leat::task::wait::any);
      });
      until(begun, 1, engine::poll);
      for (std::uint32_t i = 1; i <= 3; ++i) {
        engine::spawn([&] {
          const workers_of_run::execution x(in);
          done.fetch_add(1, relaxed);
        });
        until(done, i, engine::poll);
      }
    });
  }
}

// The root waits in a barrier, and a thief makes tasks: the root executes some of them, as the run has no room for a third worker.
TEST(capped, gives_to_its_root_in_a_barrier) {
  for (const std::uint64_t spin_ns : {0u, 1'000u}) {
    run_in_worlds(shape_with(4, spin_ns), 2, [](workers_of_run& in) {
      word begun{0}, met{0};
      engine::spawn([&] {
        const workers_of_run::execution x(in);
        begun.store(1, relaxed);
        simulated::work_ns(20'000);
        for (std::uint32_t i = 1; i <= 2; ++i) {
          engine::spawn([&] {
            const workers_of_run::execution y(in);
            met.fetch_add(1, relaxed);
          });
          until(met, i, engine::poll);
        }
      });
      until(begun, 1, engine::poll);
      engine::barrier();
    });
  }
}

// Three threads come and go in every order: no more are in at once than may be, and none is turned away without cause.
TEST(capped, admits_exactly_so_many) {
  in_every_schedule([] {
    leat::handshake::admission<simulated> a(2);  // one is in: the root's worker
    std::uint32_t inside = 1, refused = 0;
    const auto come_and_go = [&] {
      for (int i = 0; i < 2; ++i) {
        if (!a.admit()) {
          ++refused;
          continue;
        }
        expect_here(++inside <= 2, "more workers execute than the cap allows (CAP-1)");
        simulated::relax();
        --inside;
        a.leave();
      }
    };
    std::array<simulated::thread, 2> others;
    for (auto& t : others) t = simulated::thread(come_and_go);
    for (auto& t : others) t.join();
    expect_here(refused < 4 && a.has_room(), "none was admitted, or one that left counts");
  });
}

}  // namespace
