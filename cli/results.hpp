// What `leat compare --json` and `leat sim KERNEL --json` have written, read again.

#pragma once

#include <array>
#include <cstddef>
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
  std::optional<double> overhead;  ///< T1/Ts; none where it did not run alone
  std::string standing;
  std::map<std::string, std::uint64_t> counters;               ///< of one run; none for rivals
  std::vector<std::map<std::string, std::uint64_t>> workers;  ///< those of each worker
};

/// One comparison.
struct result {
  std::string title;     ///< the name of its file without .json; the workload, where a file has several results
  std::string workload;  ///< the kernel and its parameters, for people
  unsigned workers = 0;
  unsigned repeat = 0;
  std::optional<double> noise;  ///< how much longer the same work took now and then, as a part; none where nobody asked
  std::optional<double> serial_seconds;
  std::vector<program_result> programs;

  /// The program with this name, or null.
  [[nodiscard]] const program_result* find(const std::string& program) const;
};

/// What the time of a simulated worker goes by: leat::simulated_run::shares.
inline constexpr std::array spendings = {"work", "memory", "lines", "spinning", "waking", "asleep"};

/// Where the time of all workers went in one simulated run.
struct execution_profile {
  std::string workload;
  std::string machine;
  std::string scheduler;
  double seconds = 0;
  std::optional<double> speedup;
  std::vector<std::array<double, spendings.size()>> workers;  ///< the shares of each, in the order of `spendings`
};

/// All that a folder has.
struct results {
  std::vector<result> compared;  ///< by workload and number of workers
  std::vector<execution_profile> profiles;  ///< by file
};

/// The results in the files of a folder that end in .json. Throws std::invalid_argument, naming the folder or the file,
/// where there are none, or one is not what --json writes, or has numbers that nobody can have measured.
[[nodiscard]] results read_results(const std::filesystem::path& folder);

}  // namespace leat::cli
