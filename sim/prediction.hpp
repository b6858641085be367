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

/// Which thread executes the root of a run.
enum class root_of_run : std::uint8_t {
  worker,  ///< one of a leat::runtime
  caller,  ///< the calling thread, as in a leat::team and on the default runtime
};

/// Executes the recording in a world with these workers. `how` has the machine and the seed; it is by time.
/// \throws std::runtime_error  as replay::run; simulation_failed
[[nodiscard]] prediction predict(const recording& r, const walked& found, const simulation_options& how,
                                 const leat::options& workers, root_of_run root);

}  // namespace leat::sim
