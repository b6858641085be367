// How long a recording has become, and what is recorded from then on.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/strands/times.hpp"

namespace leat::inline LEAT_ABI::strands {

/// The size of the process's recording, in bytes of its chunks.
template <class P>
class recorded_size {
 public:
  static constexpr std::uint64_t limit_default = 200'000'000;

  /// While no task runs. relaxed: what begins next publishes both.
  static void begin_anew(std::uint64_t limit) noexcept {
    limit_ = limit;
    bytes_.store(0, platform::relaxed);
    grain_.store(0, platform::relaxed);
  }

  /// SPAN-10: of a subtree that takes fewer bytes, only the sums are recorded. 0: all is recorded. relaxed, all: any thread may
  /// go on with an older grain for a while.
  static std::uint64_t grain() noexcept { return grain_.load(platform::relaxed); }

  /// A chunk was written.
  static void add(std::uint64_t bytes) noexcept {
    const std::uint64_t all = bytes_.fetch_add(bytes, platform::relaxed) + bytes;
    const std::uint64_t exact = limit_ / 2;
    if (all < exact) return;
    const std::uint64_t doublings = std::min((all - exact) / std::max<std::uint64_t>(limit_ / 32, 1), doublings_max);
    const std::uint64_t now = grain_min << doublings;
    raise(grain_, now);
  }

 private:
  static constexpr std::uint64_t grain_min = 256;
  static constexpr std::uint64_t doublings_max = 21;  // the grain has ten digits in the file

  static inline constinit std::uint64_t limit_ = limit_default;
  static inline constinit typename P::template atomic<std::uint64_t> bytes_{0};
  static inline constinit typename P::template atomic<std::uint64_t> grain_{0};
};

/// A place in a stream, and what the stream had up to there.
struct recorded_place {
  std::uint64_t position = 0;  // in the bytes that are left of the stream
  std::uint64_t weight = 0;  // the bytes that it would have if all were recorded
  std::uint64_t ns = 0;
  std::uint64_t strands = 0;
  std::uint64_t forks = 0;
};

/// Where a fork or a loop begins in a stream.
struct recorded_subtree {
  recorded_place begin;
  recorded_place row;  // where the sums before it begin, or else itself
  std::uint64_t row_span = 0;  // of these, and of the strand behind them
};

}  // namespace leat::inline LEAT_ABI::strands
