// User-level threads and bubbles on an engine of the tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/thread/bubble.hpp"
#include "leat/thread/run_threads.hpp"
#include "leat/thread/sync.hpp"

namespace leat_test {

/// The public names of leat/thread.hpp and leat/bubble.hpp, for one engine.
template <class Engine>
struct carried {
  using platform = typename Engine::platform;
  using thread = leat::threads::thread<platform>;
  using mutex = leat::threads::mutex<platform>;
  using condition = leat::threads::condition<platform>;
  using barrier = leat::threads::barrier<platform>;
  using bubble = leat::threads::bubble<platform>;
  using carrier = leat::threads::carrier<platform>;
  static constexpr leat::threads::held_t held{};

  /// Calls f on a user-level thread of a machine, inside a run.
  template <class F>
  static void run_on(const std::string& machine, F f) {
    leat::threads::run_threads<platform>(f, leat::topology::machine::synthetic(machine));
  }

  /// The same, in a run of its own.
  template <class F>
  static void run(Engine& e, const std::string& machine, F f) {
    e.run([&] { run_on(machine, std::move(f)); });
  }

  /// The unit that executes the caller.
  static leat::topology::unit_id unit() { return carrier::here()->unit(); }
  static auto& home() { return carrier::here()->home(); }
};

/// A machine of so many units, in pairs where that goes.
inline std::string machine_of(std::uint32_t units) {
  if (units % 2 != 0) return "pu:" + std::to_string(units);
  return "numa:" + std::to_string(units / 2) + " core:2 pu:1";
}

/// Few workers and many, more than there are CPUs.
inline std::vector<shape> carrying_shapes() { return worker_shapes({1, 2, 3, 8}); }

}  // namespace leat_test
