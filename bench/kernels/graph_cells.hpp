// Work that is a graph: cells, each of which needs two others.

#pragma once

#include "kernels/busy_loop.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::kernels {

/// Cells by number. A cell's value depends on those of none, one or two cells of lower numbers, so a program that computes a cell
/// too early finds another digest.
class graph_cells {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct needed {
    std::uint32_t first = none;
    std::uint32_t second = none;
  };

  /// n x n cells, row by row: each needs the one above and the one before. As a computation on blocks of a matrix does whose
  /// results move right and down.
  [[nodiscard]] static graph_cells wavefront(std::int64_t n);

  /// n cells: each but the first needs two that are drawn among all before it, always the same ones.
  [[nodiscard]] static graph_cells drawn(std::int64_t n);

  /// Forgets all values.
  void restore();

  [[nodiscard]] std::size_t size() const noexcept { return needs_.size(); }
  [[nodiscard]] const needed& needs(std::size_t cell) const noexcept { return needs_[cell]; }

  /// So many steps of work (busy_loop), and then the cell's value.
  void compute(std::size_t cell, std::uint64_t steps) noexcept {
    if (steps != 0) busy_loop::run(steps);
    const needed& n = needs_[cell];
    values_[cell] = (value_of(n.first) ^ std::rotl(value_of(n.second), 7)) * 0x9e3779b97f4a7c15 + cell;
  }

  [[nodiscard]] std::uint64_t digest() const noexcept;

  /// What digest() is when all has been computed.
  [[nodiscard]] std::uint64_t digest_of_serial() const noexcept { return digest_of_serial_; }

  /// How many steps take so many nanoseconds, where a step takes `of_ns`; one at least, unless `ns` is 0.
  [[nodiscard]] static std::uint64_t steps_of(std::int64_t ns, double of_ns) noexcept;

 private:
  explicit graph_cells(std::vector<needed> needs);

  [[nodiscard]] std::uint64_t value_of(std::uint32_t cell) const noexcept { return cell == none ? 1 : values_[cell]; }

  std::vector<needed> needs_;
  std::vector<std::uint64_t> values_;
  std::uint64_t digest_of_serial_ = 0;
};

/// Computes all cells over whatever makes tasks (calls.hpp), with a task for each.
template <class Tasks>
void compute(graph_cells& cells, std::uint64_t steps) {
  Tasks::dataflow(cells.size(), [&cells, steps](const auto& make) {
    for (std::size_t cell = 0; cell != cells.size(); ++cell) {
      const graph_cells::needed needs = cells.needs(cell);
      const auto task = [&cells, cell, steps] { cells.compute(cell, steps); };
      if (needs.second != graph_cells::none) make(task, cell, {needs.first, needs.second});
      else if (needs.first != graph_cells::none) make(task, cell, {needs.first});
      else make(task, cell, {});
    }
  });
}

}  // namespace leat::kernels
