// Task graphs with much or little work in a node: a wavefront, and a random graph.

#pragma once

#include "kernels/construct.hpp"
#include "kernels/counted_runtime.hpp"
#include "kernels/graph_cells.hpp"

#include <leat/runtime.hpp>

#include <cstdint>
#include <memory>

namespace leat::kernels::graphs {

enum class shape : std::uint8_t { wavefront, drawn };

/// A task for each cell of graph_cells. The graph is made anew in each run, and that is timed.
template <shape Shape>
struct parameters {
  std::int64_t n =
      Shape == shape::wavefront ? 512 : 1'000'000;  ///< -n  rows and columns of cells; or cells; 1 to n_max
  std::int64_t ns = Shape == shape::wavefront ? 200 : 1000;  ///< --ns  of work in a cell, in nanoseconds; 0 to ns_max
  kernels::construct construct = kernels::construct::graph;  ///< --construct  graph, after or future

  static constexpr std::int64_t n_max = Shape == shape::wavefront ? 10'000 : 100'000'000;
  static constexpr std::int64_t ns_max = 1'000'000'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Makes the cells, and measures how long a step of work takes.
  void prepare() const;

  /// Forgets what was computed.
  void before_run(unsigned workers) const;

  /// A digest of all cells.
  [[nodiscard]] std::uint64_t after_run(std::uint64_t) const;

  /// One for each cell.
  [[nodiscard]] std::uint64_t forks() const noexcept;

  [[nodiscard]] std::uint64_t expected() const;

  /// The same program, with cells that take about a second at most.
  [[nodiscard]] parameters smaller() const;

  /// Which all copies of these parameters share once they are prepared.
  [[nodiscard]] graph_cells& cells() const;

  /// The work in a cell, in steps of busy_loop.
  [[nodiscard]] std::uint64_t steps() const;

 private:
  mutable std::shared_ptr<graph_cells> cells_;
};

using wavefront = parameters<shape::wavefront>;
using dag = parameters<shape::drawn>;

std::uint64_t serial(const wavefront&);
std::uint64_t serial(const dag&);

/// With graph: a leat::graph, made and run. With after: task_group::spawn_after. With future: futures that wait for others.
/// Throws what runtime::run throws.
std::uint64_t parallel(runtime&, const wavefront&);
std::uint64_t parallel(runtime&, const dag&);
std::uint64_t parallel(counted_runtime&, const wavefront&);
std::uint64_t parallel(counted_runtime&, const dag&);

}  // namespace leat::kernels::graphs
