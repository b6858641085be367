// Results as a page to look at.

#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace leat::cli {

/// One page of HTML that needs nothing else: a table of all workloads in the form of Tables 6.1 to 6.3 of Prell's thesis
/// (speed-ups, and how far each is below the best), the geometric means, and for each workload its times, its speed-ups,
/// over the number of workers where there are several, the steals and messages, and what its workers did; then the
/// execution-time profiles, in the form of its Figures 3.10 and 3.12.
[[nodiscard]] std::string report_page(const results&);

}  // namespace leat::cli
