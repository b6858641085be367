// The flags that measuring commands have.

#pragma once

#include "runtime_flags.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>

namespace leat::cli {

/// --repeat, --no-serial, --json and --no-progress.
class round_flags {
 public:
  /// `repeat` rounds, unless others are asked for.
  explicit round_flags(std::int64_t repeat) : repeat_(repeat) {}

  /// Adds the flags to a command; the object must outlive the parsing.
  void add_to(CLI::App& command);

  /// How often to run each version, 1 to repeat_max. Throws std::invalid_argument, naming the flag and its bad value.
  [[nodiscard]] unsigned repeat() const;

  [[nodiscard]] bool serial() const noexcept { return !no_serial_; }
  [[nodiscard]] bool json() const noexcept { return json_; }
  [[nodiscard]] bool shows_progress() const noexcept { return !no_progress_; }

  static constexpr std::int64_t repeat_max = 1'000'000;

 private:
  std::int64_t repeat_;
  bool no_serial_ = false;
  bool json_ = false;
  bool no_progress_ = false;
};

/// These, and --capacity, --workers, --scheduler and --steal, for commands that measure one runtime.
class measuring_flags {
 public:
  /// Adds the flags to a command; the object must outlive the parsing.
  void add_to(CLI::App& command);

  /// The options to start the runtime with. Throws std::invalid_argument, naming a flag and its bad value.
  [[nodiscard]] leat::options options() const { return runtime_.options(); }

  /// See round_flags.
  [[nodiscard]] unsigned repeat() const { return rounds_.repeat(); }
  [[nodiscard]] bool serial() const noexcept { return rounds_.serial(); }
  [[nodiscard]] bool json() const noexcept { return rounds_.json(); }
  [[nodiscard]] bool shows_progress() const noexcept { return rounds_.shows_progress(); }

  /// Whether to measure the machine's capacity, too. Throws std::invalid_argument where there is no serial program to do it with.
  [[nodiscard]] bool capacity() const;

  [[nodiscard]] std::string_view steal() const noexcept { return name(runtime_.steal()); }

 private:
  runtime_flags runtime_;
  round_flags rounds_{1};
  bool capacity_ = false;
};

}  // namespace leat::cli
