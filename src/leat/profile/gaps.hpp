// Sampled times between two operations of a worker: how long its tasks are, at no cost for tasks that are not sampled.
//
// A push, a pop or a join compares one limit, and takes its slow way if that is raised. The sampler raises the limit. The slow
// way reads the clock, and raises the limit again, until it has seen enough operations in a row (PROFILE-4).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::profile {

template <class P>
class gaps {
 public:
  struct bucket {
    std::uint64_t count = 0;
    std::uint64_t ns = 0;
  };
  static constexpr std::size_t bucket_count = 64;
  using buckets = std::array<bucket, bucket_count>;

  /// Operations in a row of one sample. More would make a sample expensive. With fewer, the useless first time would weigh
  /// too much: it begins where the sampler came, not at an operation.
  static constexpr std::uint32_t in_a_row = 16;
  /// The first time of a sample begins anywhere between two operations, so it counts only if it is long.
  static constexpr std::uint64_t first_ns_min = 1'000'000;

  // -- the sampler's thread

  /// Returns whether the worker must be signalled: false while an earlier sample is not complete.
  bool begin_sample(std::uint64_t now_ns) noexcept {
    if (left_.load(platform::acquire) != 0) return false;  // acquire: pairs with operation_ends
    since_ns_ = now_ns;
    left_.store(in_a_row + 1, platform::release);  // release: pairs with operation_begins
    return true;
  }

  // -- the worker's

  /// Whether operations are to take the slow way.
  bool wanted() const noexcept { return left_.load(platform::relaxed) != 0; }  // relaxed: operation_begins acquires

  /// The slow way of an operation begins. The time from the end of one to the beginning of the next is a sample.
  void operation_begins(std::uint64_t now_ns) noexcept {
    const std::uint32_t left = left_.load(platform::acquire);  // acquire: pairs with begin_sample
    if (left == 0) return;
    const std::uint64_t ns = now_ns - std::min(now_ns, since_ns_);
    if (left <= in_a_row || ns >= first_ns_min) note(ns);
  }
  void operation_ends(std::uint64_t now_ns) noexcept {
    const std::uint32_t left = left_.load(platform::acquire);  // acquire: as in operation_begins
    if (left == 0) return;
    since_ns_ = now_ns;
    left_.store(left - 1, platform::release);  // release: pairs with begin_sample
  }

  // -- under the lock of the log, which the worker, too, holds while it notes

  const buckets& read() const noexcept { return buckets_; }

 private:
  void note(std::uint64_t ns) noexcept {
    bucket& b = buckets_[ns == 0 ? 0 : static_cast<std::size_t>(std::bit_width(ns) - 1)];
    ++b.count;
    b.ns += ns;
  }

  typename P::template atomic<std::uint32_t> left_{0};  // operations of the sample under way
  std::uint64_t since_ns_ = 0;
  buckets buckets_{};
};

}  // namespace leat::inline LEAT_ABI::profile
