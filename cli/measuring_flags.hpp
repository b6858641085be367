// The flags that every measuring command has.

#pragma once

#include "runtime_flags.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>

namespace leat::cli {

/// --workers, --scheduler, --steal, --repeat, --no-serial and --json.
class measuring_flags {
 public:
  /// Adds the flags to a command; the object must outlive the parsing.
  void add_to(CLI::App& command);

  /// The options to start the runtime with. Throws std::invalid_argument, naming a flag and its bad value.
  [[nodiscard]] leat::options options() const { return runtime_.options(); }

  /// How often to run each version, 1 to repeat_max. Throws std::invalid_argument, naming the flag and its bad value.
  [[nodiscard]] unsigned repeat() const;

  [[nodiscard]] std::string_view steal() const noexcept { return name(runtime_.steal()); }
  [[nodiscard]] bool serial() const noexcept { return !no_serial_; }
  [[nodiscard]] bool json() const noexcept { return json_; }

  static constexpr std::int64_t repeat_max = 1'000'000;

 private:
  runtime_flags runtime_;
  std::int64_t repeat_ = 1;
  bool no_serial_ = false;
  bool json_ = false;
};

}  // namespace leat::cli
