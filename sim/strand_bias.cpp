#include "strand_bias.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace leat::sim {

namespace {

// Calls f with the nanoseconds of each strand, which it may change.
template <class F>
void for_each_strand(recording& r, F f) {
  for (strand_word& w : r.words) {
    if (w.code() != strand_code::strand) continue;
    std::uint64_t ns = w.payload();
    f(ns);
    w = {strand_code::strand, std::min(ns, strand_word::payload_max)};
  }
  for (recording::block& b : r.blocks)
    if (!b.open) f(b.cost);
}

double work_without(recording& r, double bias_ns) {
  double sum = 0;
  for_each_strand(r, [&](const std::uint64_t& ns) { sum += std::max(0.0, static_cast<double>(ns) - bias_ns); });
  return sum;
}

}  // namespace

double remove_bias(recording& r, double work_ns) {
  std::uint64_t strands = 0;
  double longest = 0;
  for_each_strand(r, [&](const std::uint64_t& ns) { ++strands, longest = std::max(longest, static_cast<double>(ns)); });
  if (strands == 0) return 0;
  // The work falls as the bias grows. It is all of the wanted work at the one end, and nothing at the other.
  double least = -work_ns / static_cast<double>(strands);
  double most = longest;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = std::midpoint(least, most);
    (work_without(r, middle) > work_ns ? least : most) = middle;
  }
  double rest = 0;  // what rounding has left over
  for_each_strand(r, [&](std::uint64_t& ns) {
    const double exact = std::max(0.0, static_cast<double>(ns) - most);
    const double whole = std::floor(exact + rest);
    rest += exact - whole;
    ns = static_cast<std::uint64_t>(whole);
  });
  return most;
}

}  // namespace leat::sim
