// A world that follows from one number: which client, on which scheduler, who goes when, and what goes wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clients.hpp"
#include "leat/platform/simulation/schedule.hpp"
#include "leat/platform/simulation/simulation.hpp"
#include "shrinking.hpp"

namespace leat_test {

struct drawn_world {
  std::uint64_t seed;
  program what;
  const char* scheduler;
  scene told;
  leat::platform::simulation::settings settings;
  std::uint32_t rarity;   ///< of at_random; or 0
  std::uint32_t changes;  ///< of by_priority, otherwise
};

/// The world of that seed. Consecutive seeds have all clients, and then all schedulers, in turn.
drawn_world draw(std::uint64_t seed);

/// In one line.
std::string describe(const drawn_world& w);

/// The command that runs it again.
std::string replay_command(const drawn_world& w);

/// Runs it. If `preemptions` is not null, it is told the schedule as a list.
leat::platform::simulation::outcome run(const drawn_world& w,
                                        std::vector<leat::platform::preemption>* preemptions = nullptr);

/// Runs it with that schedule and those faults instead of its own.
leat::platform::simulation::outcome run(const drawn_world& w, const failing_plan& plan);

/// Everything about a world that failed: what it is, how to have it again, what of it is needed to fail, and how that ends.
std::string report(const drawn_world& w, const leat::platform::simulation::outcome& failed);

/// From here on, an assertion that does not hold, std::terminate and a fault of memory in a world are its failures.
void have_worlds_fail();

}  // namespace leat_test
