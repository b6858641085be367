#include "kernels/graph_cells.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace leat::kernels {

graph_cells::graph_cells(std::vector<needed> needs) : needs_(std::move(needs)), values_(needs_.size()) {
  for (std::size_t cell = 0; cell != size(); ++cell) compute(cell, 0);
  digest_of_serial_ = digest();
}

graph_cells graph_cells::wavefront(std::int64_t n) {
  const auto side = static_cast<std::uint32_t>(n);
  std::vector<needed> needs;
  needs.reserve(std::size_t{side} * side);
  for (std::uint32_t row = 0; row != side; ++row) {
    for (std::uint32_t column = 0; column != side; ++column) {
      const std::uint32_t cell = row * side + column;
      const std::uint32_t above = row == 0 ? none : cell - side;
      const std::uint32_t before = column == 0 ? none : cell - 1;
      needs.push_back(above == none ? needed{before, none} : needed{above, before});
    }
  }
  return graph_cells(std::move(needs));
}

graph_cells graph_cells::drawn(std::int64_t n) {
  std::mt19937_64 draw(1);
  std::vector<needed> needs(static_cast<std::size_t>(n));
  for (std::size_t cell = 1; cell < needs.size(); ++cell)
    needs[cell] = {static_cast<std::uint32_t>(draw() % cell), static_cast<std::uint32_t>(draw() % cell)};
  return graph_cells(std::move(needs));
}

void graph_cells::restore() { std::fill(values_.begin(), values_.end(), 0); }

std::uint64_t graph_cells::digest() const noexcept {
  std::uint64_t all = 0;
  for (const std::uint64_t value : values_) all = all * 31 + value;
  return all;
}

std::uint64_t graph_cells::steps_of(std::int64_t ns, double of_ns) noexcept {
  if (ns == 0) return 0;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(ns) / of_ns));
}

}  // namespace leat::kernels
