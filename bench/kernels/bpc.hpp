// BPC (Prell's thesis, 2.8 and 5.4.2): a producer that bounces from worker to worker.

#pragma once

#include "kernels/construct.hpp"
#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>

namespace leat::kernels::bpc {

/// Producers follow each other: each is a task that makes the next producer, and then n consumers, which work for some
/// microseconds each.
struct parameters {
  std::int64_t n = 9;                               ///< -n           consumers of each producer, 0 to n_max
  std::int64_t d = 10'000;                          ///< -d           producers, 1 to d_max
  std::int64_t us = 10;                             ///< --us         of a consumer, in microseconds; 0 to us_max
  bool clock = false;  ///< --clock: a consumer waits until the clock says that its time is over
  kernels::construct construct = construct::group;  ///< --construct  group or spawn
  bool splittable = false;                          ///< --splittable: a producer's consumers are one task, a loop
  bool polls = false;  ///< --polls: consumers poll for steal requests
  std::int64_t poll_us = 1;  ///< --poll-us: microseconds between two polls, 1 to us_max

  static constexpr std::int64_t n_max = 1'000'000;
  static constexpr std::int64_t d_max = 1'000'000;
  static constexpr std::int64_t tasks_max = 100'000'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Prepares the consumers' work, so that no timed run does.
  void prepare() const;

  /// Producers and consumers; each is one task, or, where consumers are splittable, one iteration.
  [[nodiscard]] std::uint64_t forks() const noexcept { return static_cast<std::uint64_t>(d * (n + 1)); }

  /// As many producers and consumers run as are made.
  [[nodiscard]] std::uint64_t expected() const noexcept { return forks(); }

  /// The same program, with as many producers as take about a second at most.
  [[nodiscard]] parameters smaller() const noexcept;
};

/// Calls what the tasks call, in loops. Returns the number of calls.
[[nodiscard]] std::uint64_t serial(const parameters&);

/// Runs the tasks. Returns how many producers and consumers ran, as they count themselves. Throws what runtime::run
/// throws.
[[nodiscard]] std::uint64_t parallel(runtime&, const parameters&);
[[nodiscard]] std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::bpc
