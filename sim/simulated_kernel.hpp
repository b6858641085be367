// One kernel, as `leat sim` runs it.

#pragma once

#include "compared_kernel.hpp"
#include "progress.hpp"
#include "runtime_flags.hpp"

#include <leat/counters.hpp>
#include <leat/simulate.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace leat::sim {

/// A subcommand: its options, and what it does.
class simulated_kernel {
 public:
  /// Adds the subcommand, which the object must outlive.
  simulated_kernel(CLI::App& program, std::unique_ptr<cli::compared_kernel> kernel);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Its name and what it is.
  [[nodiscard]] std::string summary() const;

  struct found {
    simulated_run world;
    double seconds = 0;  ///< of the program, in the world
    leat::counters counters;
  };
  struct results {
    leat::options options;
    std::optional<found> serial;
    std::optional<found> one;  ///< worker
    found all;
    double host_seconds = 0;

    [[nodiscard]] std::optional<double> speedup() const { return ratio(serial); }
    [[nodiscard]] std::optional<double> ratio(const std::optional<found>& of) const {
      return of ? std::optional(of->seconds / all.seconds) : std::nullopt;
    }
  };

  /// Simulates the serial program, the parallel one with one worker if `with_one`, and that with all. `shown` has which of
  /// them is under way, after the word `what`. Throws
  /// std::invalid_argument, naming an option and its bad value; simulation_failed; std::runtime_error for a wrong result.
  [[nodiscard]] results simulate_all(bool with_one, cli::progress& shown, std::string_view what);

  /// Does that and reports.
  void run();

 private:
  [[nodiscard]] simulation_options how() const;
  [[nodiscard]] found simulate_serial(const simulation_options&);
  [[nodiscard]] found simulate_parallel(const simulation_options&, leat::options);
  [[nodiscard]] nlohmann::ordered_json to_json(const found&) const;
  void report(const results&) const;

  std::unique_ptr<cli::compared_kernel> kernel_;
  CLI::App* command_;
  cli::runtime_flags flags_;
  std::string machine_;
  std::int64_t seed_ = 0;
  std::string order_ = "time";
  bool parallel_only_ = false;
  bool no_one_worker_ = false;
  bool no_interrupts_ = false;
  bool json_ = false;
  bool no_progress_ = false;
};

}  // namespace leat::sim
