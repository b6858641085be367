// Heat: the temperature of a plate whose borders are kept as they are, by Jacobi's iteration.

#pragma once

#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>
#include <memory>

namespace leat::kernels::heat {

/// The plate, now and a step before.
class plate;

struct parameters {
  std::int64_t n = 1024;    ///< -n       rows, and cells of a row, 1 to n_max
  std::int64_t steps = 200;  ///< --steps  0 to steps_max
  std::int64_t band = 16;   ///< --band   rows of a task; divides n

  static constexpr std::int64_t n_max = 16'384;
  static constexpr std::int64_t steps_max = 1'000'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Makes the plate, and goes all steps once, serially.
  void prepare() const;

  /// Gives the plate its first temperatures again.
  void before_run(unsigned workers) const;

  /// A digest of the temperatures, to the last bit.
  [[nodiscard]] std::uint64_t after_run(std::uint64_t) const;

  /// How many tasks there are.
  [[nodiscard]] std::uint64_t forks() const noexcept { return static_cast<std::uint64_t>(steps * (n / band)); }

  [[nodiscard]] std::uint64_t expected() const;

  /// The same plate, for fewer steps.
  [[nodiscard]] parameters smaller() const;

  /// Which all copies of these parameters share once they are prepared.
  [[nodiscard]] heat::plate& plate() const;

 private:
  mutable std::shared_ptr<heat::plate> plate_;
};

std::uint64_t serial(const parameters&);

/// A group of tasks for each step, one for each band of rows. Throws what runtime::run throws.
std::uint64_t parallel(runtime&, const parameters&);
std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::heat
