// Results as a page to look at.

#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace leat::cli {

/// One page of HTML that needs nothing else: a table of all workloads in the form of Tables 6.1 to 6.3 of Prell's thesis
/// (speed-ups, and how far each is below the best), the geometric means, and for each workload its times, its speed-ups,
/// over the number of workers where there are several, and what its workers did.
[[nodiscard]] std::string report_page(const std::vector<result>&);

}  // namespace leat::cli
