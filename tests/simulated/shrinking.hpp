// What of a failing world's plan it takes to fail.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "leat/platform/simulation/schedule.hpp"
#include "leat/platform/simulation/simulation.hpp"

namespace leat_test {

/// A world's schedule, as a list of preemptions, and its faults.
struct failing_plan {
  std::vector<leat::platform::preemption> preemptions;
  leat::platform::fault_plan faults;
};

/// The failure's first line without its numbers: two worlds that have it in common fail in the same way.
std::string kind_of(const std::string& failure);

/// Drops faults one by one, and preemptions by halves, quarters and so on (Zeller and Hildebrandt, "Simplifying and
/// isolating failure-inducing input", 2002), as long as failure_of(plan) stays of the same kind. `runs_max` bounds the calls.
failing_plan shrink(failing_plan plan, const std::string& kind,
                    const std::function<std::string(const failing_plan&)>& failure_of, std::size_t runs_max = 3000);

/// One line for each fault and each preemption.
std::string describe(const failing_plan& plan);

}  // namespace leat_test
