#include "kernels/suite/sequence.hpp"

#include "kernels/suite/fraction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace leat::kernels::suite {

std::string_view name(order o) noexcept {
  switch (o) {
    case order::random: return "random";
    case order::exponential: return "exponential";
    case order::almost_sorted: return "almost-sorted";
  }
  return "unknown";
}

namespace {

// made(fraction) for each of n fractions that are drawn.
template <class T, class Made>
std::vector<T> draw(std::size_t n, order by, const Made& made) {
  protocol::random source(1);
  std::vector<T> drawn(n);
  if (by == order::almost_sorted) {
    for (std::size_t i = 0; i < n; ++i) drawn[i] = made(static_cast<double>(i) / static_cast<double>(n));
    const auto exchanges = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    for (std::size_t i = 0; i < exchanges; ++i) std::swap(drawn[source() % n], drawn[source() % n]);
    return drawn;
  }
  constexpr double mean = 1.0 / 16;
  const double below_one = std::nextafter(1.0, 0.0);
  for (T& d : drawn) {
    const double fraction = draw_fraction(source);
    d = made(by == order::exponential ? std::min(-mean * std::log1p(-fraction), below_one) : fraction);
  }
  return drawn;
}

}  // namespace

std::vector<double> draw_sequence(std::size_t n, order by) {
  return draw<double>(n, by, [](double fraction) { return fraction; });
}

std::vector<std::uint32_t> draw_integers(std::size_t n, order by, std::uint32_t bound) {
  return draw<std::uint32_t>(n, by, [bound](double fraction) { return static_cast<std::uint32_t>(fraction * bound); });
}

}  // namespace leat::kernels::suite
