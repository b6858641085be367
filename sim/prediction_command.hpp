// `leat predict`: a recorded program on machines that are not there.

#pragma once

#include "prediction.hpp"
#include "progress.hpp"
#include "runtime_flags.hpp"
#include "strand_bias.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leat::sim {

/// The options of the command, and what it does.
class prediction_command {
 public:
  /// Adds the options, which the object must outlive.
  explicit prediction_command(CLI::App& program);

  /// Reads the recording, predicts, and reports. Throws std::invalid_argument, naming an option, a file or a byte of the recording, and the
  /// bad value; std::runtime_error.
  void run();

 private:
  struct place {
    std::string name;  ///< as given; empty for a flat machine
    std::string file;
    std::uint32_t units = 0;  ///< 0: as many as are asked for
    double work_slowdown = 1;
  };
  struct row {
    const place* where;
    std::uint64_t workers;
    std::optional<prediction> found;  ///< none: the machine has not so many units
  };

  [[nodiscard]] std::vector<place> places() const;
  [[nodiscard]] std::vector<std::uint64_t> worker_counts(const place& where) const;
  [[nodiscard]] leat::options workers_options(std::uint64_t workers) const;
  void take_least_times_of(const std::string& again);
  void read();
  void remove_bias();
  [[nodiscard]] double serial_seconds(const place& where) const;
  [[nodiscard]] double work_bound(const row& r) const;
  [[nodiscard]] double span_bound() const;
  void report_text(const std::vector<row>& rows) const;
  [[nodiscard]] nlohmann::ordered_json json_of(const row& r) const;
  void report_json(const std::vector<row>& rows) const;
  [[nodiscard]] std::vector<std::string> remarks(const std::vector<row>& rows) const;

  CLI::App* program_;
  cli::runtime_flags flags_;
  std::string file_;
  std::string workers_;
  std::vector<std::string> again_;
  std::vector<std::string> machines_;
  double one_seconds_ = 0;
  std::int64_t seed_ = 0;
  bool no_interrupts_ = false;
  bool json_ = false;
  bool no_progress_ = false;
  recording recording_;
  root_of_run root_ = root_of_run::worker;
  walked found_;
  strand_bias bias_;  ///< that --one has removed
  double mean_strand_ns_ = 0;  ///< before that
};

}  // namespace leat::sim
