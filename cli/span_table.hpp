// Work and span of a profiled program, as a table.

#pragma once

#include "profile_file.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace leat::cli {

inline constexpr std::array<const char*, 6> span_heads = {"call site",     "work",        "span",
                                                          "burdened span", "parallelism", "calls"};

/// The whole program first, then the call sites, those with the longest spans first. Empty if the profile has no spans.
[[nodiscard]] std::vector<std::vector<std::string>> span_rows(const profile&);

/// For people, with at most `sites_max` call sites; empty if the profile has no spans.
[[nodiscard]] std::string span_text(const profile&, std::size_t sites_max = 12);

/// All of it, in nanoseconds; null if the profile has no spans.
[[nodiscard]] nlohmann::ordered_json span_json(const profile&);

}  // namespace leat::cli
