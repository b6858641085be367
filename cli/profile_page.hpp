// The page that `leat report` makes of a profile.

#pragma once

#include "profile_file.hpp"

#include <string>

namespace leat::cli {

/// A page of HTML that needs nothing else: the verdicts, a time line for each worker that can be enlarged, and the totals.
[[nodiscard]] std::string profile_page(const profile&);

}  // namespace leat::cli
