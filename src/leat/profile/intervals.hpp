// The time line of one worker: what it did, and for how long each time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "leat/profile/activity.hpp"

namespace leat::inline LEAT_ABI::profile {

/// The last interval is under way. All memory is allocated at the beginning. When it is full, the time line gets coarser
/// (PROFILE-3). Not synchronised.
class intervals {
 public:
  struct total {
    std::uint64_t ns = 0;
    std::uint64_t count = 0;
  };

  /// Nanoseconds of the shortest intervals that are kept when the memory is full for the first time.
  static constexpr std::uint64_t resolution_first_ns = 1000;

  /// \param capacity  room for so many intervals, at least 2
  /// \throws std::bad_alloc
  intervals(std::size_t capacity, activity first, std::uint64_t now_ns)
      : capacity_(capacity),
        ended_(std::make_unique_for_overwrite<std::uint64_t[]>(capacity)),
        now_(first),
        begin_ns_(now_ns),
        since_ns_(now_ns) {}

  activity now() const noexcept { return now_; }
  std::uint64_t begin_ns() const noexcept { return begin_ns_; }
  std::uint64_t resolution_ns() const noexcept { return resolution_ns_; }
  const std::array<total, activity_count>& totals() const noexcept { return totals_; }

  /// Another activity begins. Amortised O(1).
  void change(activity to, std::uint64_t now_ns) noexcept {
    now_ns = std::max(now_ns, since_ns_);  // processors may read the clock a little early
    const std::uint64_t ns = now_ns - since_ns_;
    total& of = totals_[index_of(now_)];
    of.ns += ns;
    ++of.count;
    append(ns << activity_bits | index_of(now_));
    now_ = to;
    since_ns_ = now_ns;
  }

  /// Calls f(activity, ns) for each interval that has ended, in the order of time.
  template <class F>
  void each(F f) const {
    for (std::size_t i = 0; i < count_; ++i) f(kind_of(ended_[i]), ended_[i] >> activity_bits);
  }

 private:
  static constexpr unsigned activity_bits = 3;
  static_assert(activity_count == std::size_t{1} << activity_bits);
  static activity kind_of(std::uint64_t word) noexcept {
    return static_cast<activity>(word & ((std::uint64_t{1} << activity_bits) - 1));
  }

  // An interval of no length, or of the same activity as the one before, needs no word of its own.
  void append(std::uint64_t word) noexcept {
    if (count_ != 0 && (kind_of(ended_[count_ - 1]) == kind_of(word) || word >> activity_bits == 0))
      return lengthen(count_ - 1, word >> activity_bits);
    while (count_ == capacity_) coarsen();
    ended_[count_++] = word;
  }
  void lengthen(std::size_t i, std::uint64_t ns) noexcept { ended_[i] += ns << activity_bits; }

  // This ends: when the resolution is longer than all intervals, only one is left.
  void coarsen() noexcept {
    resolution_ns_ = resolution_ns_ == 0 ? resolution_first_ns : 2 * resolution_ns_;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t ns = ended_[i] >> activity_bits;
      if (kept != 0 && (ns < resolution_ns_ || kind_of(ended_[kept - 1]) == kind_of(ended_[i]))) lengthen(kept - 1, ns);
      else ended_[kept++] = ended_[i];
    }
    count_ = kept;
  }

  const std::size_t capacity_;
  const std::unique_ptr<std::uint64_t[]> ended_;  // length and activity of each
  std::size_t count_ = 0;
  std::uint64_t resolution_ns_ = 0;
  activity now_;
  const std::uint64_t begin_ns_;
  std::uint64_t since_ns_;
  std::array<total, activity_count> totals_{};
};

}  // namespace leat::inline LEAT_ABI::profile
