// BFS: breadth-first search, which finds how far each vertex of a generated graph is from the first one.

#pragma once

#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace leat::kernels::bfs {

/// How edges are drawn.
enum class kind : std::uint8_t {
  rmat,     ///< R-MAT with the probabilities of Graph500 (0.57, 0.19, 0.19, 0.05): few vertices have most edges
  uniform,  ///< both ends with equal probabilities
  grid,     ///< a cube, each vertex joined with its neighbours in three directions
};

[[nodiscard]] std::string_view name(kind) noexcept;

/// A graph, and how far its vertices are.
class search;

struct parameters {
  bfs::kind kind = kind::rmat;  ///< --kind    rmat, uniform or grid
  std::int64_t scale = 18;      ///< --scale   2^scale vertices, 0 to scale_max
  std::int64_t degree = 16;     ///< --degree  edges for each vertex, in the mean, but of a grid; 0 to degree_max
  std::int64_t grain = 64;      ///< --grain   vertices of a task, at most; 1 to grain_max

  static constexpr std::int64_t scale_max = 26;
  static constexpr std::int64_t degree_max = 64;
  static constexpr std::int64_t grain_max = 1'000'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Draws the graph.
  void prepare() const;

  /// Forgets how far the vertices are.
  void before_run(unsigned workers) const;

  /// How many vertices are as far as they must be.
  [[nodiscard]] std::uint64_t after_run(std::uint64_t) const;

  /// Nobody counts the forks, whose number depends on the graph.
  [[nodiscard]] std::uint64_t forks() const noexcept { return 0; }

  [[nodiscard]] std::uint64_t expected() const noexcept { return std::uint64_t{1} << scale; }

  /// The same program on a smaller graph.
  [[nodiscard]] parameters smaller() const;

  /// Which all copies of these parameters share once they are prepared.
  [[nodiscard]] bfs::search& search() const;

 private:
  mutable std::shared_ptr<bfs::search> search_;
};

/// One queue, and no atomic operations.
std::uint64_t serial(const parameters&);

/// Level by level: forks, in the plain form, halve what was found last until it is a task's. Throws what runtime::run
/// throws.
std::uint64_t parallel(runtime&, const parameters&);
std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::bfs
