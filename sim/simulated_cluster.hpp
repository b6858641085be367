// UTS on a cluster of the size that a paper had: ranks of several workers, and a network, in one simulated world.

#pragma once

#include "cluster_flags.hpp"
#include "kernels/uts_tree.hpp"
#include "network.hpp"
#include "uts_flags.hpp"

#include <leat/cluster.hpp>
#include <leat/simulate.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace leat::sim {

/// The subcommand `cluster`: its options, and what it does.
class simulated_cluster {
 public:
  /// Adds the subcommand, which the object must outlive.
  explicit simulated_cluster(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Its name and what it is.
  [[nodiscard]] std::string summary() const;

  /// Counts a tree and reports. Throws std::invalid_argument, naming an option and its bad value; simulation_failed;
  /// std::runtime_error for a wrong count.
  void run();

 private:
  struct found {
    simulated_run world;
    std::uint64_t nodes = 0;
    double seconds = 0;
    rank_counters counters;  // of all ranks
    double host_seconds = 0;
  };

  void choose();
  void choose_network();
  void choose_ranks();
  [[nodiscard]] found simulate_ranks() const;
  void check(const found&, const kernels::uts::tree&) const;
  void count_on(cluster&, const kernels::uts::tree&, found&) const;
  void report(const found&) const;

  CLI::App* command_;
  cli::uts_flags uts_;
  double node_us_ = 10;
  std::int64_t ranks_ = 32;
  std::optional<std::int64_t> nodes_;
  std::int64_t workers_ = 12;
  std::int64_t ranks_of_a_node_ = 1;
  std::int64_t seed_ = 0;
  cli::cluster_flags flags_;
  bool json_ = false;
  bool no_progress_ = false;
  network_times times_;
  cluster_options options_;
};

}  // namespace leat::sim
