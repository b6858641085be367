// SPC (Prell's thesis, 2.8): a single producer of equal tasks; whoever steals consumes.

#pragma once

#include "kernels/construct.hpp"
#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>

namespace leat::kernels::spc {

struct parameters {
  std::int64_t tasks = 1'000'000;                   ///< --tasks      0 to tasks_max
  std::int64_t us = 0;                              ///< --us         of a task, in microseconds; 0 to us_max
  bool clock = false;  ///< --clock      a task waits until the clock says that it is over
  kernels::construct construct = construct::group;  ///< --construct  group or spawn
  bool splittable = false;  ///< --splittable: all tasks are one, a loop

  static constexpr std::int64_t tasks_max = 100'000'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Prepares the tasks' work, so that no timed run does.
  void prepare() const;

  /// Tasks, or, where they are splittable, iterations.
  [[nodiscard]] std::uint64_t forks() const noexcept { return static_cast<std::uint64_t>(tasks); }

  /// As many tasks run as are produced.
  [[nodiscard]] std::uint64_t expected() const noexcept { return forks(); }

  /// The same program, with as many tasks as take about a second at most.
  [[nodiscard]] parameters smaller() const noexcept;
};

/// Calls what the tasks call in a loop. Returns the number of calls.
[[nodiscard]] std::uint64_t serial(const parameters&);

/// Produces the tasks in the root of a run. Returns how many ran, as they count themselves, which is all that a task of
/// 0 us does. Throws what runtime::run throws.
[[nodiscard]] std::uint64_t parallel(runtime&, const parameters&);
[[nodiscard]] std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::spc
