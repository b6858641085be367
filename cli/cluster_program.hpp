// What `leat NAME --cluster` runs: a program of which all ranks do a part, and that can tell whether its result is right.

#pragma once

#include <CLI/CLI.hpp>
#include <leat/cluster.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace leat::cli {

/// One program. Options first: add_to, then the parsing, then choose. Then run_serially and run_on, in any order, each of
/// which checks what it finds. Thread safety: none.
class cluster_program {
 public:
  cluster_program() = default;
  cluster_program(const cluster_program&) = delete;
  cluster_program& operator=(const cluster_program&) = delete;
  virtual ~cluster_program() = default;

  /// The command's name, and what it says of itself.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string about() const = 0;

  /// Adds its options to the command; the object must outlive the parsing.
  virtual void add_to(CLI::App& command) = 0;

  /// Throws std::invalid_argument naming a bad value.
  virtual void choose() = 0;

  /// The options that make this problem, and no others.
  [[nodiscard]] virtual std::string in_options() const = 0;

  /// For people: the problem's name, if it has one.
  [[nodiscard]] virtual std::string problem() const = 0;
  [[nodiscard]] virtual nlohmann::ordered_json parameters() const = 0;

  /// On this rank alone.
  virtual void run_serially() = 0;

  /// On all ranks, by all together. Throws what cluster::run throws.
  virtual void run_on(cluster&, const snapshots& keep) = 0;

  /// Whether all results so far were right; why not, else.
  [[nodiscard]] virtual bool ok() const = 0;
  [[nodiscard]] virtual std::string failure() const = 0;

  /// What the last run found.
  [[nodiscard]] virtual nlohmann::ordered_json results() const = 0;
  [[nodiscard]] virtual std::string found() const = 0;
};

/// All of them, by their names in `leat NAME --cluster`.
[[nodiscard]] std::vector<std::unique_ptr<cluster_program>> cluster_programs();

}  // namespace leat::cli
