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

std::vector<double> draw_sequence(std::size_t n, order by) {
  protocol::random source(1);
  std::vector<double> drawn(n);
  if (by == order::almost_sorted) {
    for (std::size_t i = 0; i < n; ++i) drawn[i] = static_cast<double>(i) / static_cast<double>(n);
    const auto exchanges = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    for (std::size_t i = 0; i < exchanges; ++i) std::swap(drawn[source() % n], drawn[source() % n]);
    return drawn;
  }
  constexpr double mean = 1.0 / 16;
  const double below_one = std::nextafter(1.0, 0.0);
  for (double& d : drawn) {
    d = draw_fraction(source);
    if (by == order::exponential) d = std::min(-mean * std::log1p(-d), below_one);
  }
  return drawn;
}

std::vector<std::uint32_t> draw_integers(std::size_t n, order by, std::uint32_t bound) {
  const std::vector<double> fractions = draw_sequence(n, by);
  std::vector<std::uint32_t> drawn(n);
  std::ranges::transform(fractions, drawn.begin(), [bound](double f) { return static_cast<std::uint32_t>(f * bound); });
  return drawn;
}

}  // namespace leat::kernels::suite
