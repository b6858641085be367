// Visits every state that the world can reach, breadth first, and reports the first that must not be, with its trace.
#pragma once

#include <cstddef>
#include <string>

#include "model/client.hpp"

namespace leat::model {

struct report {
  std::size_t states = 0;
  std::size_t steps = 0;
  std::size_t ends = 0;   ///< states in which nobody can take a step
  std::string violation;  ///< empty: none
  std::string trace;      ///< a shortest sequence of steps to the violation, one a line
};

/// Explores the client's world. Beyond `states_max` states it gives up, which is a violation. Checks in every state
/// what world::violation says, in every end what violation_at_end says, and that an end can be reached from everywhere.
report explore(const client& c, std::size_t states_max = 8'000'000);

}  // namespace leat::model
