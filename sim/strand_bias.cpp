#include "strand_bias.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace leat::sim {

namespace {

// Calls f with each recorded time, which f may change, and with the number of strands in it.
template <class F>
void for_each_time(recording& r, F f) {
  for (strand_word& w : r.words) {
    if (w.code() != strand_code::strand) continue;
    std::uint64_t ns = w.payload();
    f(ns, 1.0);
    w = {strand_code::strand, std::min(ns, strand_word::payload_max)};
  }
  for (recording::block& b : r.blocks)
    if (!b.open) f(b.cost, 1.0);
  for (recording::sums& s : r.all_sums) {
    const auto before = static_cast<double>(s.work_ns);
    f(s.work_ns, static_cast<double>(s.strands));
    // The span shrinks or grows with the work.
    if (before != 0)
      s.span_ns =
          static_cast<std::uint64_t>(static_cast<double>(s.span_ns) * (static_cast<double>(s.work_ns) / before));
    s.span_ns = std::min(s.span_ns, s.work_ns);
  }
}

double without(std::uint64_t ns, double bias_ns) { return std::max(0.0, static_cast<double>(ns) - bias_ns); }

// What is to be taken off each of them. The sum falls as it grows: with 0 it is at least work_ns, and with `most` it is nothing.
double bias_of(recording& r, double work_ns, double most) {
  double least = 0;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = std::midpoint(least, most);
    double sum = 0;
    for_each_time(r, [&](const std::uint64_t& ns, double count) { sum += without(ns, middle * count); });
    (sum > work_ns ? least : most) = middle;
  }
  return most;
}

}  // namespace

strand_bias remove_bias(recording& r, double work_ns) {
  double sum = 0;
  double longest = 0;
  for_each_time(r, [&](const std::uint64_t& ns, double count) {
    sum += static_cast<double>(ns);
    if (count != 0) longest = std::max(longest, static_cast<double>(ns) / count);
  });
  if (sum == 0) return {};
  const strand_bias found =
      sum > work_ns ? strand_bias{.ns = bias_of(r, work_ns, longest)} : strand_bias{.factor = work_ns / sum};
  double rest = 0;  // what rounding has left over
  for_each_time(r, [&](std::uint64_t& ns, double count) {
    const double exact = without(ns, found.ns * count) * found.factor;
    const double whole = std::floor(exact + rest);
    rest += exact - whole;
    ns = static_cast<std::uint64_t>(whole);
  });
  return found;
}

}  // namespace leat::sim
