// The flags for what Prell's thesis compares.

#pragma once

#include <leat/options.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace leat::cli {

/// --adaptive-steals and --last-victim, and those of leat::prell_options. What is not given stays as leat::options has it.
class prell_flags {
 public:
  /// Adds the flags to a command; the object must outlive the parsing.
  void add_to(CLI::App& command);

  /// Sets the options. Throws std::invalid_argument, naming the flag and its value.
  void set(leat::options& options) const;

 private:
  prell_options prell_;
  std::int64_t samples_ = 1;
  std::int64_t adaptive_steals_ = 25;
  std::string last_victim_;
};

/// The options that these flags set, as in JSON.
[[nodiscard]] nlohmann::ordered_json choices_json(const leat::options&);

}  // namespace leat::cli
