// What every measuring command has in common: how it measures, and how it reports.

#pragma once

#include <leat/counters.hpp>
#include <leat/runtime.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>

namespace leat::cli {

/// The median times of the runs of a benchmark.
struct timing {
  std::optional<double> serial_seconds;  ///< none where the serial version was not run
  double seconds = 0;                    ///< of the parallel version
  leat::counters counters;               ///< what the last parallel run added to the runtime's counters
};

/// Runs a benchmark's serial and parallel version `repeat` times, taking turns, so that a change of the machine's speed
/// meets both alike. Shows on a terminal which run is under way.
///
/// `serial` may be empty. Throws what the versions throw.
[[nodiscard]] timing measure(runtime& rt, unsigned repeat, const std::function<void()>& serial,
                             const std::function<void()>& parallel);

/// One measured benchmark: the schema that the --json of all measuring commands shares.
struct measurement {
  std::string benchmark;
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  std::string scheduler;
  unsigned workers = 0;
  unsigned repeat = 0;
  bool result_ok = false;  ///< every run gave the result that it had to give
  timing times;
  /// What only this benchmark reports; its members stand beside the members above.
  nlohmann::ordered_json results = nlohmann::ordered_json::object();

  /// Serial time over parallel time; none where the serial version was not run.
  [[nodiscard]] std::optional<double> speedup() const;
};

/// The members benchmark, parameters, scheduler, workers, repeat, result_ok, serial_seconds, seconds, speedup and
/// counters, then those of `results`. Times are medians in seconds; a time or ratio that was not measured is null.
[[nodiscard]] nlohmann::ordered_json to_json(const measurement&);

/// The lines on times, speed-up and steals that people read, for standard output.
[[nodiscard]] std::string to_text(const measurement&);

}  // namespace leat::cli
