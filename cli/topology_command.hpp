// `leat topology`: the machine as a tree, with the workers in place.

#pragma once

#include <leat/topology.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace leat::cli {

/// The subcommand.
class topology_command {
 public:
  /// Adds the subcommand, which the object must outlive.
  explicit topology_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Reports, and writes the machine file if one is named. Returns the program's exit status, 0. Throws std::invalid_argument,
  /// naming it, for a description that makes no machine, a bad number of workers, or a file that cannot be written.
  [[nodiscard]] int run() const;

 private:
  [[nodiscard]] std::uint32_t workers_on(const topology::machine&) const;

  CLI::App* command_;
  std::optional<std::string> synthetic_;
  std::optional<std::int64_t> workers_;
  std::optional<std::string> file_;
  bool json_ = false;
};

}  // namespace leat::cli
