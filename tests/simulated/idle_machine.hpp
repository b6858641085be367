// A quiet machine by time, where all units are idle when a test begins.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "carried_worlds.hpp"

namespace leat_test::carrying {

inline constexpr double thread_ns = 100e3;  // longer than it takes to wake somebody

/// Returns when somebody carries on each unit: who waits lets others come.
inline void bring_all(std::size_t units) {
  constexpr int rounds_max = 20;
  std::vector<bool> came(units);
  for (int round = 0; std::ranges::count(came, false) != 0; ++round) {
    if (round == rounds_max) throw std::runtime_error("not all units have come");
    std::vector<on::thread> threads;
    for (std::size_t i = 0; i < units; ++i) {
      threads.emplace_back([&] {
        came[on::unit()] = true;
        simulated::work_ns(thread_ns);
      });
    }
    for (auto& t : threads) t.join();
  }
  simulated::work_ns(thread_ns);  // they rest
}

/// Calls main() on a user-level thread of a machine with a worker for each unit, when these rest. What that allocates ends with the
/// world, and so what it finds is put where there was room before, and compared after.
template <class Main>
void on_idle_machine(const std::vector<leat::platform::machine::level>& levels, const std::string& tree, Main main) {
  leat::platform::by_time schedule;
  simulation::settings settings;
  settings.on.levels = levels;
  const auto end = simulation(settings, schedule).run([&] {
    engine e(shape{settings.on.units()});
    on::run(e, tree, [&] {
      bring_all(settings.on.units());
      main();
    });
  });
  EXPECT_TRUE(end.ok()) << end.failure;
}

}  // namespace leat_test::carrying
