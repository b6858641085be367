// N-Queens: in how many ways can n queens stand on a board of n by n squares without attacking each other?

#pragma once

#include "kernels/construct.hpp"
#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>

namespace leat::kernels::nqueens {

struct parameters {
  std::int64_t n = 13;                             ///< -n           1 to n_max
  kernels::construct construct = construct::fork;  ///< --construct  fork or group
  kernels::wait wait = wait::own;  ///< --wait       any: waits execute any task of the run, as the thesis's do
  kernels::form form = form::context;              ///< --form       of fork
  std::int64_t look_ns = 3;  ///< --look-ns  what it takes to see whether a column is free, in worlds, to look_ns_max

  static constexpr std::int64_t n_max = 18;
  static constexpr std::int64_t look_ns_max = 10'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// How many tasks there are: one for each queen that is placed and not attacked. Cost: as `count`.
  [[nodiscard]] std::uint64_t forks() const;

  /// The known number of solutions.
  [[nodiscard]] std::uint64_t expected() const noexcept;

  /// The same program, of a size that takes a fraction of a second.
  [[nodiscard]] parameters smaller() const noexcept;
};

/// What a search finds.
struct findings {
  std::uint64_t solutions = 0;
  std::uint64_t placements = 0;  ///< queens placed without being attacked, over the whole search

  friend bool operator==(const findings&, const findings&) = default;
};

/// Searches by another way, with three sets of bits; some twenty times as fast as `serial`.
[[nodiscard]] findings count(std::int64_t n) noexcept;

/// Searches row by row. Each placement copies the board, and each candidate is compared with all earlier queens.
[[nodiscard]] std::uint64_t serial(const parameters&);

/// The same with a task for each placement, without cut-off. As fork/join, it is this placement against the remaining
/// ones of its row; with groups, each row of a board has one. Throws what runtime::run throws.
[[nodiscard]] std::uint64_t parallel(runtime&, const parameters&);
[[nodiscard]] std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::nqueens
