// A profile in the trace-event format, which Perfetto and Chromium's tracing show.

#pragma once

#include "profile_file.hpp"

#include <string>

namespace leat::cli {

/// JSON: a process, a thread for each worker, a pair of events B and E for each interval but those outside of the runtime, and the
/// runs on a thread of their own. Times are in microseconds from the start of the recording.
[[nodiscard]] std::string perfetto_trace(const profile&);

}  // namespace leat::cli
