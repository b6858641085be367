// The flags that say what runtime a command works with.

#pragma once

#include "prell_flags.hpp"

#include <leat/options.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::cli {

/// What a thief asks for.
enum class stealing : std::uint8_t { one, half, adaptive };

/// The name, as people and JSON read it.
[[nodiscard]] std::string_view name(stealing) noexcept;

/// Whom a thief tries first.
enum class victim_order : std::uint8_t { random, near };

[[nodiscard]] std::string_view name(victim_order) noexcept;

/// --workers, --steal, --bind and --victims. What is not given is left to the environment and to the runtime's defaults.
class worker_flags {
 public:
  /// Adds the flags to a command; the object must outlive the parsing.
  void add_to(CLI::App& command);

  /// The options to start a runtime with, its scheduler not set. Throws std::invalid_argument, naming the flag and its
  /// value, for what no runtime can be started with.
  [[nodiscard]] leat::options options() const;

  [[nodiscard]] stealing steal() const noexcept { return steal_; }

 private:
  std::optional<std::int64_t> workers_;
  stealing steal_ = stealing::adaptive;
  bool bind_ = false;
  victim_order victims_ = victim_order::random;
};

/// --scheduler beside these, and the flags of prell.
class runtime_flags {
 public:
  /// Adds the flags to a command; the object must outlive the parsing.
  void add_to(CLI::App& command);

  /// The options to start the runtime with. Throws std::invalid_argument, naming the flag and its value, for what no
  /// runtime can be started with.
  [[nodiscard]] leat::options options() const;

  [[nodiscard]] stealing steal() const noexcept { return workers_.steal(); }

 private:
  worker_flags workers_;
  prell_flags prell_;
  std::optional<std::string> scheduler_;
};

/// "channel, work-stealing, ..."
[[nodiscard]] std::string known_schedulers();

/// Throws std::invalid_argument, naming the option and the value, unless a scheduler has this name.
void check_scheduler(std::string_view option, const std::string& scheduler);

}  // namespace leat::cli
