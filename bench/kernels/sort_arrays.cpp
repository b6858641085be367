#include "kernels/sort_arrays.hpp"

#include "kernels/sort.hpp"

#include <leat/protocol/random.hpp>

#include <algorithm>
#include <functional>
#include <random>
#include <type_traits>

namespace leat::kernels::sort {

namespace {

using random = std::mt19937_64;

template <class T>
T draw(random& source) {
  if constexpr (std::is_same_v<T, std::string>) {
    std::string made(8 + source() % 24, '\0');
    for (char& letter : made) letter = static_cast<char>('a' + source() % 26);
    return made;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::uniform_real_distribution<T>()(source);
  } else {
    return static_cast<T>(source());
  }
}

// A number that does not depend on the order, of what is drawn from each element's hash, which for integers are they
// themselves: their sum would be the same where one is less and another more.
template <class T>
std::uint64_t digest(const std::vector<T>& elements) {
  std::uint64_t sum = 0;
  for (const T& e : elements) sum += protocol::random(std::hash<T>()(e))();
  return sum;
}

}  // namespace

std::string_view name(element e) noexcept {
  switch (e) {
    case element::ints: return "ints";
    case element::floats: return "floats";
    case element::strings: return "strings";
  }
  return {};
}

template <class T>
drawn_array<T>::drawn_array(std::int64_t n) {
  random source(1);
  drawn_.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) drawn_.push_back(draw<T>(source));
  sorted = drawn_;
}

template <class T>
std::uint64_t drawn_array<T>::count_sorted() const {
  if (digest(sorted) != digest(drawn_)) return 0;
  return static_cast<std::uint64_t>(std::is_sorted_until(sorted.begin(), sorted.end()) - sorted.begin());
}

template class drawn_array<std::int32_t>;
template class drawn_array<double>;
template class drawn_array<std::string>;

}  // namespace leat::kernels::sort
