// Treerec (Prell's thesis, 2.8): a recursion like that of Fibonacci whose leaves do some work.

#pragma once

#include "kernels/construct.hpp"
#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>

namespace leat::kernels::treerec {

/// A task with n of 2 or more splits off n - 1 as a new task, calls n - 2, and waits for the new task: as many tasks as
/// the thesis counts (3 524 577 for n = 32). A task with a smaller n works for some microseconds.
struct parameters {
  std::int64_t n = 32;  ///< -n           0 to n_max
  std::int64_t us = 1;  ///< --us         of a leaf, in microseconds; 0 to us_max
  bool clock = false;  ///< --clock      a leaf waits until the clock says that its time is over
  kernels::construct construct = construct::fork;  ///< --construct  fork, future or group
  kernels::wait wait = wait::own;  ///< --wait       any: waits execute any task of the run, as the thesis's do
  kernels::form form = form::context;  ///< --form       of fork

  static constexpr std::int64_t n_max = 60;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Prepares the leaves' work, so that no timed run does.
  void prepare() const;

  /// How many tasks are split off: one for each call with n of 2 or more.
  [[nodiscard]] std::uint64_t forks() const noexcept;

  /// The number of leaves.
  [[nodiscard]] std::uint64_t expected() const noexcept;

  /// The same program, of a size that takes about a second at most.
  [[nodiscard]] parameters smaller() const noexcept;
};

/// Counts the leaves by plain calls.
[[nodiscard]] std::uint64_t serial(const parameters&);

/// Counts the leaves, in tasks. Throws what runtime::run throws.
[[nodiscard]] std::uint64_t parallel(runtime&, const parameters&);
[[nodiscard]] std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::treerec
