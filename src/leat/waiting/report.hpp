// The text of a report of a hang. Rule DEADLOCK-8: docs/internals/deadlocks.md.
#pragma once

#include <cstdint>
#include <string>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// In place of a time: waits are noted for reports, which come only where they are asked for.
inline constexpr std::uint64_t report_on_request = ~std::uint64_t{0};

/// The first line of a report: for `seconds` nothing was executed.
std::string headline_of_hang(std::uint64_t seconds);

/// Writes the text of a report to stderr.
void tell_hang(const std::string& text);

}  // namespace leat::inline LEAT_ABI::waiting
