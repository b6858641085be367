// What is sorted: arrays of numbers or strings that are drawn, the same in each program and run.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace leat::kernels::sort {

/// An array of T, which is std::int32_t, double or std::string, in the order in which it was drawn, and a second one
/// that is to be sorted.
template <class T>
class drawn_array {
 public:
  drawn_array() = default;
  explicit drawn_array(std::int64_t n);

  /// Puts the elements in their first order again.
  void restore() { sorted = drawn_; }

  /// How many elements are sorted, from the first one on; none if some are missing.
  [[nodiscard]] std::uint64_t count_sorted() const;

  std::vector<T> sorted;  ///< or about to be

 private:
  std::vector<T> drawn_;
};

extern template class drawn_array<std::int32_t>;
extern template class drawn_array<double>;
extern template class drawn_array<std::string>;

}  // namespace leat::kernels::sort
