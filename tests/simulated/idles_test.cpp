// No worker idles beside work: not beside that of a thief that has just begun, which is asked when it begins, or sees
// the pooled requests (MANAGER-2, ACTOR-3), nor beside that of a worker that leaves.
#include <gtest/gtest.h>

#include <cstdint>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/protocol/random.hpp"

namespace {

using leat::platform::at_random;
using leat::platform::relaxed;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;
using word = simulated::atomic<std::uint32_t>;

shape shape_with(std::uint32_t workers) {
  shape s{workers};
  s.spin_ns = 1'000;
  s.spares = 0;
  s.interrupt_after_ns = 0;
  s.published = leat::protocol::published::none;
  return s;
}

// Who waits so has given its tasks away, or others can take them: if none does, a worker idles beside them.
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

// A root, in worlds where the workers begin at different times and stall.
template <class Root>
void run_in_worlds(const shape& workers, Root root) {
  constexpr std::uint64_t busy_ns = 4'000, stall_ns = 8'000, steps_max = 160;
  for (int seed = 0; seed < leat_test::reps(10'000); ++seed) {
    at_random drawn(static_cast<std::uint64_t>(seed), 1u << seed % 6);
    leat::protocol::random draws(static_cast<std::uint64_t>(seed));
    simulation::settings settings;
    for (const std::uint64_t steps : {steps_max, steps_max / 4}) {
      const auto thread = static_cast<std::uint32_t>(draws() % (workers.workers + 1));
      const auto step = static_cast<std::uint32_t>(draws() % steps);
      settings.faults.stalls.push_back({thread, step, static_cast<std::uint32_t>(draws() % stall_ns)});
    }
    const auto end = simulation(settings, drawn).run([&] {
      engine e(workers);
      e.run([&] {
        simulated::work_ns(draws() % busy_ns);
        root();
      });
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
  }
}

// One worker steals a task from the root before the manager has counted it, while the request of the other is pooled,
// which is to have what that task makes.
TEST(idles, not_beside_what_a_new_thief_makes) {
  run_in_worlds(shape_with(3), [] {
    word made{0}, ended{0};
    engine::spawn([&] {
      engine::spawn([&] { made.store(1, relaxed); });
      until(made, 1, engine::poll);
      ended.store(1, relaxed);
    });
    until(ended, 1, engine::poll);
  });
}

// The root leaves with tasks that meet. Others poll for it, also for a thread that comes while another does so
// (BLOCKING-2, BLOCKING-3).
TEST(idles, not_beside_what_a_blocked_worker_has) {
  run_in_worlds(shape_with(5), [] {
    word begun{0}, ended{0};
    for (int i = 0; i < 4; ++i) {
      engine::spawn([&] {
        begun.fetch_add(1, relaxed);
        until(begun, 4, engine::poll);
        ended.fetch_add(1, relaxed);
      });
    }
    engine::blocking([&] { until(ended, 4, [] {}); });
  });
}

// The requests of two are pooled, as they do not spin, and have asked. They are not to ask again for what is pushed
// after that (WORKER-6).
TEST(idles, not_beside_what_is_pushed_later) {
  shape s = shape_with(3);
  s.spin_ns = 0;
  run_in_worlds(s, [] {
    word begun{0}, ended{0};
    for (int i = 0; i < 2; ++i) {
      simulated::work_ns(10'000);
      engine::spawn([&] {
        begun.fetch_add(1, relaxed);
        until(begun, 2, engine::poll);
        ended.fetch_add(1, relaxed);
      });
    }
    until(begun, 2, [] { engine::spawn([] {}); });
    until(ended, 2, engine::poll);
  });
}

// A thief is counted as working before it can be idle again, however short its task: or its run would not end
// (WORKER-2).
TEST(idles, counted_after_its_work) {
  run_in_worlds(shape_with(2), [] {
    word made{0};
    engine::spawn([&] { made.store(1, relaxed); });
    until(made, 1, engine::poll);
  });
}

}  // namespace
