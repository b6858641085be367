// The flags of `leat compare` that are no kernel's own.

#pragma once

#include "comparison.hpp"
#include "measuring_flags.hpp"
#include "runtime_flags.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

/// --schedulers, --rivals, --workers, --steal, --repeat, --warmup, --no-serial, --alone,
/// --json, --csv, --markdown and --no-progress.
class comparing_flags {
 public:
  /// Adds the flags to a command; the object must outlive the parsing.
  void add_to(CLI::App& command);

  /// What the flags ask for. Throws std::invalid_argument, naming a flag and its bad value.
  [[nodiscard]] comparing how() const;

  [[nodiscard]] std::string_view steal() const noexcept { return name(workers_.steal()); }
  [[nodiscard]] bool json() const noexcept { return rounds_.json(); }
  [[nodiscard]] bool csv() const noexcept { return csv_; }
  [[nodiscard]] bool markdown() const noexcept { return markdown_; }

  /// Enough to call a difference; the 10th percentile is the second least then.
  static constexpr std::int64_t repeat_default = 11;

  static constexpr std::int64_t warmup_max = 1000;

 private:
  [[nodiscard]] std::vector<std::string> schedulers() const;
  [[nodiscard]] std::vector<std::filesystem::path> rivals() const;

  worker_flags workers_;
  round_flags rounds_{repeat_default};
  std::optional<std::string> schedulers_;
  std::optional<std::string> rivals_;
  std::int64_t warmup_ = 1;
  bool alone_ = false;
  bool csv_ = false;
  bool markdown_ = false;
};

}  // namespace leat::cli
