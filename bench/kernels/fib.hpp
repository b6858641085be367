// Fibonacci numbers by double recursion: nothing but forks.

#pragma once

#include "kernels/construct.hpp"
#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>

namespace leat::kernels::fib {

struct parameters {
  std::int64_t n = 38;               ///< -n      0 to n_max
  kernels::form form = form::context;  ///< --form

  static constexpr std::int64_t n_max = 60;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// How many forks the program makes: one for each call with n of 2 or more.
  [[nodiscard]] std::uint64_t forks() const noexcept;

  /// The n-th Fibonacci number, found without recursion.
  [[nodiscard]] std::uint64_t expected() const noexcept;

  /// The same program, of a size that takes a fraction of a second.
  [[nodiscard]] parameters smaller() const noexcept;
};

/// The number with this index, n = 0 being 0. Cost O(n).
[[nodiscard]] std::uint64_t number(std::int64_t n) noexcept;

/// The recursion as a compiler likes it: several levels are inlined into one call.
[[nodiscard]] std::uint64_t serial(const parameters&);

/// The recursion with two real calls per node, each of which passes through the calling convention: the price of a call
/// against which the price of a fork is held.
[[nodiscard]] std::uint64_t serial_call(const parameters&);

/// The recursion with a fork/join per node, without cut-off. Throws what runtime::run throws.
[[nodiscard]] std::uint64_t parallel(runtime&, const parameters&);
[[nodiscard]] std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::fib
