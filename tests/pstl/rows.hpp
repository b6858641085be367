// Rows of elements for the tests of std::execution::par, and the policies under test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace leat_test {

/// Can be moved, and not copied.
class only_moved {
 public:
  only_moved() = default;
  explicit only_moved(unsigned value) : value_(std::make_unique<unsigned>(value)) {}
  unsigned value() const { return *value_; }
  friend bool operator==(const only_moved& a, const only_moved& b) { return a.value() == b.value(); }
  friend bool operator<(const only_moved& a, const only_moved& b) { return a.value() < b.value(); }

 private:
  std::unique_ptr<unsigned> value_;
};

/// Elements that compare as `key` does, and know where they stood.
struct keyed {
  unsigned key;
  unsigned place;
  friend bool operator<(const keyed& a, const keyed& b) { return a.key < b.key; }
  friend bool operator==(const keyed& a, const keyed& b) { return a.key == b.key && a.place == b.place; }
};

template <class T>
T element(unsigned value) {
  if constexpr (std::is_same_v<T, std::string>)
    return "a string too long to lie in place " + std::to_string(10'000'000 + value);
  else return T(value);
}

/// `n` elements of `kinds` different values, the same ones in each call.
template <class T>
std::vector<T> row(std::size_t n, unsigned kinds = 1'000'000, std::uint64_t seed = 1) {
  std::vector<T> made;
  made.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    made.push_back(element<T>(static_cast<unsigned>((seed >> 33) % kinds)));
  }
  return made;
}

/// Around what is done by the caller alone, and enough for many pieces.
template <class T>
std::vector<std::size_t> sizes(std::size_t numbers_max = 100'000) {
  if constexpr (std::is_arithmetic_v<T>) return {0, 1, 2, 3, 500, 501, 1000, 2001, numbers_max};
  else return {0, 1, 2, 1000, 8000};
}

/// f(policy) for both that run in parallel.
template <class F>
void each_policy(F f) {
  f(std::execution::par);
  f(std::execution::par_unseq);
}

/// f(policy, row) for rows of all sizes.
template <class T, class F>
void each_row(unsigned kinds, F f) {
  for (const std::size_t n : sizes<T>()) {
    each_policy([&](auto policy) { f(policy, row<T>(n, kinds)); });
  }
}

}  // namespace leat_test
