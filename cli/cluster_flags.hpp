// The flags that say how work moves between the ranks of a cluster.

#pragma once

#include <CLI/CLI.hpp>
#include <leat/cluster.hpp>

#include <cstdint>

namespace leat::cli {

/// --engine, --poll-us, --attempts, --victims, --ranks-per-node, --no-prefetch, --prefetch-victim, --chunk and --threshold.
class cluster_flags {
 public:
  /// Adds the flags to a command; the object must outlive the parsing.
  void add_to(CLI::App& command);

  /// What the flags mean, once they are parsed, for ranks of this many workers. Throws std::invalid_argument naming a bad
  /// value.
  [[nodiscard]] cluster_options chosen(std::int64_t workers) const;

 private:
  cluster_options options_;
  std::int64_t poll_us_ = static_cast<std::int64_t>(options_.poll_us);
  std::int64_t attempts_ = static_cast<std::int64_t>(options_.attempts);
  std::int64_t chunk_ = static_cast<std::int64_t>(options_.chunk);
  std::int64_t threshold_ = static_cast<std::int64_t>(options_.threshold);
  std::int64_t ranks_per_node_ = static_cast<std::int64_t>(options_.ranks_per_node);
  bool no_prefetch_ = false;
};

}  // namespace leat::cli
