// A maximal matching: edges of which no two share a vertex, and to which none can be added.

#pragma once

#include "kernels/suite/edges.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class matching {
 public:
  static constexpr std::string_view name = "matching";
  static constexpr std::string_view description = "A maximal matching of a graph, by the order of its edges";
  using input_kind = graph_kind;
  static constexpr std::array inputs = graph_kinds;
  static constexpr std::int64_t n_default = 2'000'000;
  static constexpr std::int64_t n_max = 50'000'000;

  matching(std::size_t n, graph_kind);

  void restore();
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many edges have an end that is matched; none if a vertex is matched twice.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return edges_.size(); }

  std::vector<std::uint8_t> chosen;  ///< of each edge, whether it is in the matching

 private:
  std::vector<edge> edges_;
  std::vector<std::uint8_t> matched_;  // of each vertex
  std::vector<std::uint32_t> holder_;  // of each vertex, the edge that has reserved it
  double matched_ns_;
  double reserved_ns_;
};

}  // namespace leat::kernels::suite
