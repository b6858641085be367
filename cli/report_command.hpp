// leat report: results as a page or a picture to look at.

#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace leat::cli {

/// The command `leat report`.
class report_command {
 public:
  /// Adds the command to the program; the object must outlive the parsing.
  explicit report_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Writes the page or the picture. Returns the program's exit status, 0. Throws std::invalid_argument, naming what cannot be read, and
  /// std::runtime_error, naming what cannot be written.
  [[nodiscard]] int run() const;

 private:
  // Throws where writing `path`, the value of `option`, would overwrite a result.
  void refuse_if_read(const char* option, const std::string& path) const;

  [[nodiscard]] int write_trace_of_profile() const;

  CLI::App* command_;
  std::string folder_;
  std::string page_;
  std::string picture_;
  std::string perfetto_;
};

}  // namespace leat::cli
