// leat NAME --cluster: a program of which all ranks of a cluster do a part.

#pragma once

#include "cluster_flags.hpp"
#include "cluster_program.hpp"
#include "measuring_flags.hpp"

#include <CLI/CLI.hpp>
#include <leat/cluster.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace leat::cli {

/// Whether these are main's arguments for the command.
[[nodiscard]] bool asks_for_cluster(int argc, const char* const* argv);

/// The command `NAME --cluster`, of a program that every rank runs.
class cluster_command {
 public:
  /// Adds the command to the program; the object must outlive the parsing.
  cluster_command(CLI::App& program, std::unique_ptr<cluster_program> what);

  /// Whether the arguments name this command.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// To be called once, after the parsing. Throws std::invalid_argument naming a bad value.
  void choose();

  /// What was chosen, as far as all ranks have to choose alike.
  [[nodiscard]] std::string in_options() const;

  /// Measures on the ranks that the transport joins; rank 0 reports. Returns the program's exit status, the same on every
  /// rank: 0, or 1 where a result was wrong. Throws what cluster::run throws.
  [[nodiscard]] int run(std::unique_ptr<ranks::transport> by);

 private:
  struct times;
  struct outcome;  // what all ranks measured and found, as rank 0 reports it

  [[nodiscard]] int measure(cluster&);
  [[nodiscard]] times run_in_rounds(cluster&);
  // Without the nodes that a snapshot brought.
  [[nodiscard]] std::uint64_t nodes_of_a_run(const outcome&) const;
  [[nodiscard]] double nodes_per_second(const outcome&) const;
  [[nodiscard]] nlohmann::ordered_json json_report(const outcome&) const;
  [[nodiscard]] std::string text_report(const outcome&) const;
  void choose_snapshots();
  // Of the run that begins now.
  void show_progress(cluster&) const;

  CLI::App* command_;
  std::unique_ptr<cluster_program> what_;
  round_flags rounds_{1};
  cluster_flags flags_;
  cluster_options options_;
  std::int64_t workers_;
  snapshots keep_;
  double snapshot_every_s_ = 0;
  double progress_every_s_ = 0;
  std::uint64_t progress_every_us_ = 0;
};

/// A rank that would do something else than rank 0.
struct odd_rank {
  std::uint32_t rank;
  std::string plan;
  std::string first_plan;  ///< rank 0's
};

/// Told what this rank would do, finds out whether all would do the same: the first that would not, on every rank. All ranks
/// call it.
using agreement = std::function<std::optional<odd_rank>(const std::string& plan)>;

/// Parses these arguments and runs the command, as main does: returns the exit status. Rank 0 writes to the standard streams,
/// the others do not.
[[nodiscard]] int run_on_cluster(int argc, char** argv, std::unique_ptr<ranks::transport> by, const agreement& agree);

}  // namespace leat::cli
