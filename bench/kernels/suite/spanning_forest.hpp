// A spanning forest: edges without a circle that join all that the graph's edges join.

#pragma once

#include "kernels/suite/edges.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class spanning_forest {
 public:
  static constexpr std::string_view name = "spanning-forest";
  static constexpr std::string_view description = "A spanning forest of a graph, by union and find";
  using input_kind = graph_kind;
  static constexpr std::array inputs = graph_kinds;
  static constexpr std::int64_t n_default = 2'000'000;
  static constexpr std::int64_t n_max = 50'000'000;

  spanning_forest(std::size_t n, graph_kind);

  void restore();
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many edges have both ends in one tree; none if there is a circle.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return edges_.size(); }

  std::vector<std::uint8_t> chosen;  ///< of each edge, whether it is in the forest

 private:
  std::vector<edge> edges_;
  std::vector<edge> roots_;            // of the ends of each edge, as far as that is known
  std::vector<vertex> parent_;         // of each vertex, less than itself; of a root itself
  std::vector<std::uint32_t> holder_;  // of each root, the edge that will join it to another
  double united_ns_;
  double rooted_ns_;
};

}  // namespace leat::kernels::suite
