// Quicksort and Cilksort (Prell's thesis, 2.8): recursive sorts of an array of integers.

#pragma once

#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>
#include <memory>

namespace leat::kernels::recursive_sort {

/// Which one.
enum class method : std::uint8_t {
  quick,  ///< in place: a serial partition, then both sides
  cilk,   ///< by quarters into a second array; merges are split, too
};

/// The arrays of one program.
class arrays;

struct parameters {
  recursive_sort::method method = method::quick;
  std::int64_t n = 10'000'000;  ///< -n  integers, 0 to n_max

  static constexpr std::int64_t n_max = 1'000'000'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Draws the integers.
  void prepare() const;

  /// Puts the integers in their first order again.
  void before_run(unsigned workers) const;

  /// How many are sorted, from the first one on; none if some are missing.
  [[nodiscard]] std::uint64_t after_run(std::uint64_t) const;

  /// Nobody counts the forks, whose number depends on the integers.
  [[nodiscard]] std::uint64_t forks() const noexcept { return 0; }

  [[nodiscard]] std::uint64_t expected() const noexcept { return static_cast<std::uint64_t>(n); }

  /// The same program, with as many integers as take some milliseconds.
  [[nodiscard]] parameters smaller() const;

  /// Which all copies of these parameters share once they are prepared.
  [[nodiscard]] recursive_sort::arrays& arrays() const;

 private:
  mutable std::shared_ptr<recursive_sort::arrays> arrays_;
};

std::uint64_t serial(const parameters&);

/// A fork for each half, in the plain form. Throws what runtime::run throws.
std::uint64_t parallel(runtime&, const parameters&);
std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::recursive_sort
