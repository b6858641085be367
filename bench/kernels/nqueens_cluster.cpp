#include "kernels/nqueens_cluster.hpp"

#include <array>
#include <cstdint>

namespace leat::kernels::nqueens {

namespace {

// The columns that are attacked in the next row: from above, and along the two diagonals.
struct half_board {
  std::uint32_t columns = 0;
  std::uint32_t rising = 0;
  std::uint32_t falling = 0;
  std::uint32_t rows_left = 0;
};

// Calls go_on for each board with one more queen.
template <class GoOn>
findings place(const half_board& b, std::uint32_t whole_row, GoOn&& go_on) {
  if (b.rows_left == 0) return {1, 0};
  findings found;
  for (std::uint32_t free = whole_row & ~(b.columns | b.rising | b.falling); free != 0; free &= free - 1) {
    const std::uint32_t queen = free & ~(free - 1);
    ++found.placements;
    go_on(half_board{b.columns | queen, (b.rising | queen) << 1, (b.falling | queen) >> 1, b.rows_left - 1});
  }
  return found;
}

findings both(const findings& a, const findings& b) { return {a.solutions + b.solutions, a.placements + b.placements}; }

findings search(const half_board& b, std::uint32_t whole_row) {
  findings below;
  const findings here =
      place(b, whole_row, [&](const half_board& next) { below = both(below, search(next, whole_row)); });
  return both(here, below);
}

}  // namespace

findings count_on_cluster(cluster& on, std::int64_t n, const snapshots& keep) {
  const std::uint32_t whole_row = (std::uint32_t{1} << n) - 1;
  const auto expand = [whole_row](const half_board& b, const auto& emit) {
    return b.rows_left <= rows_of_a_task ? search(b, whole_row) : place(b, whole_row, emit);
  };
  const half_board empty{.rows_left = static_cast<std::uint32_t>(n)};
  return on.run(std::array{empty}, findings{}, expand, &both, keep);
}

}  // namespace leat::kernels::nqueens
