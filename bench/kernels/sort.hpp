// Sorting an array of random numbers or strings.

#pragma once

#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace leat::kernels::sort {

/// What is sorted: 32-bit integers, 64-bit floating point numbers, or strings of 8 to 31 letters, drawn with equal
/// probabilities.
enum class element : std::uint8_t { ints, floats, strings };

[[nodiscard]] std::string_view name(element) noexcept;

/// The array, and the one that is sorted in its stead.
class arrays;

struct parameters {
  element kind = element::ints;   ///< --kind    ints, floats or strings
  std::int64_t n = 1'000'000;     ///< -n        elements, 0 to n_max
  bool stable = false;            ///< --stable  equal elements keep their order

  static constexpr std::int64_t n_max = 1'000'000'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Draws the elements.
  void prepare() const;

  /// Puts the elements in their first order again. Other libraries may use so many workers.
  void before_run(unsigned workers) const;

  /// How many elements are sorted, from the first one on; none if some are missing.
  [[nodiscard]] std::uint64_t after_run(std::uint64_t) const;

  /// Nobody counts the forks, whose number depends on the elements.
  [[nodiscard]] std::uint64_t forks() const noexcept { return 0; }

  [[nodiscard]] std::uint64_t expected() const noexcept { return static_cast<std::uint64_t>(n); }

  /// The same program, with as many elements as take some milliseconds.
  [[nodiscard]] parameters smaller() const;

  /// Whether oneTBB, which has no stable sort, can do the same; not if it was not found when this was built.
  [[nodiscard]] bool has_tbb() const noexcept;

  /// The arrays, which all copies of these parameters share once they are prepared.
  sort::arrays& arrays() const;

 private:
  mutable std::shared_ptr<sort::arrays> arrays_;
};

/// Sorts by std::sort or std::stable_sort. Like the others, returns the number of elements.
std::uint64_t serial(const parameters&);

/// Sorts by tbb::parallel_sort, if has_tbb().
std::uint64_t tbb(const parameters&);

/// Sorts by leat::parallel_sort or leat::parallel_stable_sort. Throws what runtime::run throws.
std::uint64_t parallel(runtime&, const parameters&);
std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::sort
