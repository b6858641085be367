// How fast a recorded program would be on another machine.

#pragma once

#include "recording.hpp"
#include "work_and_span.hpp"

#include <leat/counters.hpp>
#include <leat/options.hpp>
#include <leat/simulate.hpp>

#include <cstdint>
#include <string>

namespace leat::sim {

struct prediction {
  double seconds = 0;  ///< of the program in the world
  simulated_run world;
  leat::counters counters;
  std::uint64_t unordered_awaits = 0;  ///< see replay
};

/// Executes the recording in a world with these workers. `how` has the machine and the seed; it is by time.
/// \throws std::runtime_error  as replay::run; simulation_failed
[[nodiscard]] prediction predict(const recording& r, const walked& found, const simulation_options& how,
                                 const leat::options& workers);

}  // namespace leat::sim
