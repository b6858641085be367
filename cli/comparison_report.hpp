// What `leat compare` writes.

#pragma once

#include "comparison.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace leat::cli {

/// A comparison and all that was chosen for it.
struct comparison_report {
  std::string benchmark;
  std::string title;  ///< the benchmark and its parameters, for people
  nlohmann::ordered_json parameters;
  std::string_view unit;  ///< of what is counted: "task", "node" or "iteration"
  std::string_view steal;
  unsigned workers = 0;
  unsigned repeat = 0;
  unsigned warmup = 0;
  comparison found;
};

/// The members benchmark, parameters, steal, workers, repeat, warmup, result_ok, noise (seconds, p10, p90),
/// told_apart_above, serial_seconds, serial_p10, serial_p90, serial_rounds and schedulers: for each of these scheduler,
/// seconds, p10, p90, rounds, of_best, speedup, alone_seconds, overhead, standing, counters, worker_counters (those of
/// each worker) and counted (see counted_run.hpp); rivals: for each of these rival and the same times; left_out: by
/// rival, what it does not do. Times are in seconds; `seconds` are medians of the rounds, and so are the counters of a run. What was not measured is null.
[[nodiscard]] nlohmann::ordered_json to_json(const comparison_report&);

/// Lines of commas: the noise, the serial program, and each scheduler and rival; what was not measured is empty.
/// csv_head() names their columns.
[[nodiscard]] std::string to_csv(const comparison_report&);
[[nodiscard]] std::string csv_head();

/// For terminals.
[[nodiscard]] std::string to_text(const comparison_report&);

/// To be pasted.
[[nodiscard]] std::string to_markdown(const comparison_report&);

}  // namespace leat::cli
