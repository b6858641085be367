// The board of N-Queens, as all its programs search it.

#pragma once

#include "kernels/nqueens.hpp"

#include <leat/platform/chosen.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace leat::kernels::nqueens {

/// The queens so far, one in each row from the first.
struct board {
  int size = 0;
  int rows = 0;
  std::array<std::int8_t, parameters::n_max> column_of{};
  std::uint16_t look_ns = 3;  // whether a column is free, in worlds

  [[nodiscard]] bool full() const noexcept { return rows == size; }

  [[nodiscard]] bool free(int column) const noexcept {
    platform::chosen::work_ns(look_ns);
    for (int row = 0; row < rows; ++row) {
      const int distance = column_of[static_cast<std::size_t>(row)] - column;
      if (distance == 0 || distance == rows - row || distance == row - rows) return false;
    }
    return true;
  }

  /// The first free column of the next row from `column` on, or size.
  [[nodiscard]] int next_free(int column) const noexcept {
    while (column < size && !free(column)) ++column;
    return column;
  }

  [[nodiscard]] board with(int column) const noexcept {
    board next = *this;
    next.column_of[static_cast<std::size_t>(rows)] = static_cast<std::int8_t>(column);
    ++next.rows;
    return next;
  }
};

}  // namespace leat::kernels::nqueens
