// What every measuring command has in common: how it measures, and how it reports.

#pragma once

#include "progress.hpp"
#include "run_counters.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/runtime.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leat::cli {

/// A program that a parallel one is compared with, and what its time is called: "serial" is the one that speed-ups are
/// reckoned from.
struct reference {
  std::string name;
  std::function<double()> run;  ///< returns the seconds that it took
};

/// Calls f and returns the seconds that this took.
template <class F>
[[nodiscard]] double seconds_taken(F f) {
  constexpr double s_per_ns = 1e-9;
  const std::uint64_t start = platform::chosen::now_ns();
  f();
  return s_per_ns * static_cast<double>(platform::chosen::now_ns() - start);
}

/// The middle one of some values; between two middle ones, the mean of them. There must be a value.
[[nodiscard]] double median(std::vector<double> values);

/// The value below which this part, 0 to 1, of some values lies; between two of them, in proportion. There must be a
/// value.
[[nodiscard]] double quantile(std::vector<double> values, double part);

/// The median times of the runs of a benchmark.
struct timing {
  std::vector<std::pair<std::string, double>> references;  ///< in seconds, by name
  double seconds = 0;                                      ///< of the parallel version
  run_counters counters;                                   ///< of the last parallel run

  /// The time of this reference; none if it was not run.
  [[nodiscard]] std::optional<double> seconds_of(std::string_view reference) const;
};

/// Runs the references and the parallel version of a benchmark `repeat` times, taking turns, so that a change of the
/// machine's speed meets all alike. Each returns the seconds that it took. `shown` has which run is under way.
/// Throws what the versions throw.
[[nodiscard]] timing measure(runtime& rt, unsigned repeat, const std::vector<reference>& references,
                             const std::function<double()>& parallel, progress& shown);

/// The tasks and steals from now on, to show while a run lasts: ", tasks 7, steals 2". The runtime must outlive it.
/// Costs the runtime's workers nothing but that their counters are read.
[[nodiscard]] progress::detail what_happens_in(const runtime& rt);

/// One measured benchmark: the schema that the --json of all measuring commands shares.
struct measurement {
  std::string benchmark;
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  std::string scheduler;
  std::string steal;  ///< what thieves ask for: one, half or adaptive
  nlohmann::ordered_json choices =
      nlohmann::ordered_json::object();  ///< what else the scheduler was told (prell_flags.hpp)
  unsigned workers = 0;
  unsigned repeat = 0;
  bool result_ok = false;  ///< every run gave the result that it had to give
  timing times;
  /// What only this benchmark reports; its members stand beside the members above.
  nlohmann::ordered_json results = nlohmann::ordered_json::object();

  /// Serial time over parallel time; none where the serial program was not run.
  [[nodiscard]] std::optional<double> speedup() const;

  /// How many serial programs the machine runs in the time of one (capacity.hpp); none where that was not measured.
  [[nodiscard]] std::optional<double> capacity() const;
};

/// The members benchmark, parameters, scheduler, steal, choices, workers, repeat, result_ok, serial_seconds, seconds, speedup,
/// capacity, counters and worker_counters (of the last run: all of it, and each worker), then those of `results`. Times are medians in seconds; a time or ratio that was not measured is null.
[[nodiscard]] nlohmann::ordered_json to_json(const measurement&);

/// A number that may not be there, as JSON.
[[nodiscard]] nlohmann::ordered_json or_null(std::optional<double>);

/// The lines on times, speed-up and steals that people read, for standard output.
[[nodiscard]] std::string to_text(const measurement&);

}  // namespace leat::cli
