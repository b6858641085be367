// leat bench threads: user-level threads and bubbles, beside the system's threads.

#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace leat::cli {

/// The command `leat bench threads`.
class threads_command {
 public:
  /// Adds the command to `bench`; the object must outlive the parsing.
  explicit threads_command(CLI::App& bench);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }
  [[nodiscard]] std::string name() const { return command_->get_name(); }
  [[nodiscard]] std::string description() const { return command_->get_description(); }

  /// Measures, on one worker, and reports. Returns the program's exit status: 0, or 1 where an operation was not done.
  /// Throws std::invalid_argument naming a bad value, std::logic_error where this was built without user-level threads.
  [[nodiscard]] int run() const;

  static constexpr std::int64_t count_max = 1'000'000'000;
  static constexpr std::int64_t repeat_max = 1'000'000;

 private:
  CLI::App* command_;
  std::int64_t count_ = 20'000;
  std::int64_t repeat_ = 5;
  std::string machine_;
  bool no_progress_ = false;
  bool json_ = false;
};

}  // namespace leat::cli
