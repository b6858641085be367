// A maximal independent set: vertices of which no two are neighbours, and to which none can be added.

#pragma once

#include "kernels/suite/edges.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class independent_set {
 public:
  static constexpr std::string_view name = "independent-set";
  static constexpr std::string_view description = "A maximal independent set of a graph, by the order of its vertices";
  using input_kind = graph_kind;
  static constexpr std::array inputs = graph_kinds;
  static constexpr std::int64_t n_default = 4'000'000;
  static constexpr std::int64_t n_max = 50'000'000;

  independent_set(std::size_t n, graph_kind);

  void restore();
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many vertices are in the set and have no neighbour there, or are not and have one.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return graph_.vertices(); }

  enum class state : std::uint8_t { open, in, out };
  std::vector<state> states;  ///< of the vertices

 private:
  // What a vertex becomes by its neighbours before it.
  [[nodiscard]] state by_neighbours(vertex v) const noexcept;

  bfs::graph graph_;
  std::vector<state> decided_;  // in a round
  double joined_ns_;
  double decided_ns_;
};

}  // namespace leat::kernels::suite
