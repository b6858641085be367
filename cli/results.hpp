// What `leat compare --json` has written, read again.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

/// One program's part of a result.
struct program_result {
  std::string name;
  bool rival = false;
  double seconds = 0;  ///< the median, and the percentiles
  double p10 = 0;
  double p90 = 0;
  double of_best = 0;
  std::optional<double> speedup;
  std::string standing;
  std::map<std::string, std::uint64_t> counters;               ///< of one run; none for rivals
  std::vector<std::map<std::string, std::uint64_t>> workers;  ///< those of each worker
};

/// One comparison.
struct result {
  std::string benchmark;
  std::string parameters;  ///< for people
  unsigned workers = 0;
  unsigned repeat = 0;
  std::optional<double> serial_seconds;
  std::vector<program_result> programs;

  [[nodiscard]] std::string workload() const { return parameters.empty() ? benchmark : benchmark + ", " + parameters; }

  /// The program with this name, or null.
  [[nodiscard]] const program_result* find(const std::string& program) const;
};

/// The results in the files of a folder that end in .json, by workload and number of workers. Throws
/// std::invalid_argument, naming the folder or the file, where there are none, or one is not what --json writes.
[[nodiscard]] std::vector<result> read_results(const std::filesystem::path& folder);

}  // namespace leat::cli
