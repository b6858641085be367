// The text of a report of a hang. Rule DEADLOCK-8: docs/internals/deadlocks.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// A line of the report.
struct reported_wait {
  std::optional<std::uint32_t> worker;  ///< none: a thread that is no worker of the runtime
  std::optional<wait_kind> kind;  ///< none: the worker has nothing to do
  double seconds = 0;  ///< how long it has waited
  std::optional<std::uint32_t> executed_by;  ///< the worker that executes what is awaited, if that is known
};

/// The text of a report: for `seconds` nothing was executed.
std::string report_of_hang(std::uint64_t seconds, const std::vector<reported_wait>& waits);

/// Writes the text of a report to stderr.
void tell_hang(const std::string& text);

}  // namespace leat::inline LEAT_ABI::waiting
