// How long a program stays outside between its calls, and so for how long a worker without tasks spins for the next one. Rule
// PRIMARY-5: entry/primary.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::work {

/// Any thread. What it says is a hint: two threads that note gaps at once may lose one.
template <class P>
class call_gaps {
 public:
  /// A gap is long if a sleep and a wake-up cost less than to spin all through it.
  static constexpr std::uint64_t long_ns = 32'000;

  /// For so long a worker spins after a call where gaps are long. A shorter one is still met, and noted.
  static constexpr std::uint64_t spin_ns_least = 5'000;

  /// A longer gap counts as one of this length, so that some short ones make up for it.
  static constexpr std::uint64_t counted_ns_max = 4 * long_ns;

  /// \param adapts  whether gaps may be long at all
  explicit call_gaps(bool adapts = true) : adapts_(adapts) {}

  /// A thread has been outside for so long, after a call that a thief shared, or while gaps are long.
  void note(std::uint64_t gap_ns) noexcept {
    const std::uint64_t before = mean_ns_.load(platform::relaxed);  // relaxed, all: hints
    mean_ns_.store(before - before / weight + std::min(gap_ns, counted_ns_max) / weight, platform::relaxed);
  }

  bool are_long() const noexcept {
    return adapts_ && mean_ns_.load(platform::relaxed) > long_ns;  // relaxed: a hint
  }

  /// For how long a worker spins between two calls, where it would spin for `ns` in a run.
  std::uint64_t spin_ns(std::uint64_t ns) const noexcept { return are_long() ? std::min(ns, spin_ns_least) : ns; }

 private:
  static constexpr std::uint64_t weight = 4;  // the last gap counts as a quarter of the mean

  const bool adapts_;
  alignas(platform::cache_line) typename P::template atomic<std::uint64_t> mean_ns_{0};
};

}  // namespace leat::inline LEAT_ABI::work
