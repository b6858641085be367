// Worlds in which user-level threads are carried.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <string>

#include "../carried.hpp"
#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"

namespace leat_test::carrying {

using client::engine;
using leat::platform::simulated;
using leat::platform::simulation;
using on = carried<engine>;
using word = simulated::atomic<std::uint32_t>;

inline shape shape_with(std::uint32_t workers, std::uint64_t seed) {
  shape s{workers};
  s.spin_ns = seed % 3 == 0 ? 0 : 20'000;
  s.published = leat::protocol::published::none;
  return s;
}

inline void expect(bool right, const char* what) {
  if (!right) simulation::current()->fail(what);
}

/// Runs `main` as the root of a run of that shape, in a world of that seed, in which that allocation fails, if one is named.
template <class Main>
void in_run(std::uint32_t seed, const shape& s, Main main, std::uint64_t memory_fails = 0) {
  leat::platform::at_random drawn(seed, 1u << seed % 6);
  simulation::settings settings;
  if (seed % 2 == 0) settings.on = leat::platform::machine::even();
  settings.steps_max = 20'000'000;
  settings.faults.memory_fails = memory_fails;
  const auto end = simulation(settings, drawn).run([&] {
    try {
      engine e(s);
      e.run(main);
    } catch (const std::bad_alloc&) {
      expect(memory_fails != 0, "memory is short");
    }
  });
  ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
}

/// The same on a user-level thread.
template <class Main>
void in_world(std::uint32_t seed, std::uint32_t workers, const std::string& tree, Main main) {
  in_run(seed, shape_with(workers, seed), [&] { on::run_on(tree, main); });
}

/// Waits on the worker, without giving way to other threads.
template <class Ready>
void stay_until(Ready ready, const char* otherwise) {
  constexpr std::uint64_t patience_ns = 20'000'000;
  const std::uint64_t end = simulated::now_ns() + patience_ns;
  while (!ready()) {
    expect(simulated::now_ns() < end, otherwise);
    engine::poll();
    simulated::yield();
  }
}

/// So many that wait for each other without giving way: they meet only if as many units execute them.
class meeting {
 public:
  explicit meeting(std::uint32_t all) : missing_(all) {}
  void attend() {
    missing_.fetch_sub(1, leat::platform::relaxed);
    stay_until([this] { return missing_.load(leat::platform::relaxed) == 0; },
               "a unit rests beside a thread that waits in its reach");
  }

 private:
  word missing_;
};

}  // namespace leat_test::carrying
