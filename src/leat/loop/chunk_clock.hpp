// How many iterations a worker executes before it polls. The program chooses no grain size: the clock finds one, and
// follows iterations whose cost changes along the loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Finds the size of each chunk from the time that the last one took. While no thief asks, chunks of many iterations
/// are given more and more time. One object serves one worker in one loop, or in one piece of a spawned loop. Cost:
/// one read of the clock a chunk.
template <class P>
class chunk_clock {
 public:
  /// What a chunk should take at first, and again after a thief has asked: a fraction of what a steal costs the
  /// thief.
  static constexpr std::uint64_t chunk_ns = 8'000;

  /// What a chunk should take at most. If iterations are alike, a thief that asks after a quiet time waits no longer.
  static constexpr std::uint64_t chunk_ns_max = 8 * chunk_ns;

  /// A chunk has at most so many times the iterations of the one before. The next iterations may be dearer than the
  /// last ones, and one chunk that is too large leaves thieves without an answer until it ends.
  static constexpr std::uint64_t growth_max = 8;

  /// A chunk of fewer iterations says little about the next ones, so the time is chunk_ns again.
  static constexpr std::uint64_t many = 8;

  /// Iterations in a chunk at most, as of iterations that take no time at all. 2^40 times chunk_ns_max is below 2^64,
  /// so no product in `ran` overflows.
  static constexpr std::uint64_t chunk_max = std::uint64_t{1} << 40;

  /// No chunk has fewer iterations than `least`: options::chunk_min. The first one has so many, or `first` if that is more.
  explicit chunk_clock(std::uint64_t least, std::uint64_t first = 0) noexcept
      : least_(least), size_(std::max(least, first)), begun_ns_(P::now_ns()) {}

  /// Nanoseconds that all chunks took (LOOP-7).
  std::uint64_t worked_ns() const noexcept { return worked_ns_; }

  /// Iterations in the next chunk.
  std::uint64_t size() const noexcept { return size_; }

  /// Nanoseconds of an iteration, over all chunks.
  double mean_ns() const noexcept {
    return static_cast<double>(worked_ns_) / static_cast<double>(std::max<std::uint64_t>(executed_, 1));
  }

  /// How long so many iterations take, if they are like those of the last chunk. Without end where that had fewer than `many`,
  /// which say little.
  double expected_ns(std::uint64_t iterations) const noexcept {
    if (last_ < many) return std::numeric_limits<double>::infinity();
    return static_cast<double>(iterations) * static_cast<double>(last_took_ns_) / static_cast<double>(last_);
  }

  /// A chunk of `iterations` has been executed. It began when the last one ended: what lies between two chunks, such
  /// as a fork, counts into the second one, unless restart() leaves it out.
  void ran(std::uint64_t iterations) noexcept {
    const std::uint64_t now = P::now_ns();
    // One at least, as it is divided by: the clock may stand still, and a processor may read it a little early.
    const auto elapsed_ns = static_cast<std::int64_t>(now - begun_ns_);
    const auto took = static_cast<std::uint64_t>(std::max<std::int64_t>(elapsed_ns, 1));
    begun_ns_ = now;
    worked_ns_ += took;
    executed_ += iterations;
    last_ = iterations;
    last_took_ns_ = took;
    const std::uint64_t counted = std::min(iterations, chunk_max);
    // Twice the time, but only after a chunk that filled half of its time. Before that the size is still growing by
    // growth_max, and its time says nothing about how quiet it is.
    if (counted < many) should_take_ns_ = chunk_ns;
    else if (took >= should_take_ns_ / 2) should_take_ns_ = std::min(2 * should_take_ns_, chunk_ns_max);
    const std::uint64_t fitting = std::min(counted * should_take_ns_ / took, counted * growth_max);
    size_ = std::max(std::min(fitting, chunk_max), least_);
  }

  /// A thief has asked, or a poll has taken time: chunks take chunk_ns again, and the time since the last chunk
  /// counts into none.
  void restart() noexcept {
    begun_ns_ = P::now_ns();
    // The old time is what size_ was made for, so the size is scaled before that is reset.
    size_ = std::max(size_ * chunk_ns / should_take_ns_, least_);
    should_take_ns_ = chunk_ns;
  }

 private:
  const std::uint64_t least_;
  std::uint64_t size_;
  std::uint64_t should_take_ns_ = chunk_ns;
  std::uint64_t begun_ns_;
  std::uint64_t worked_ns_ = 0;
  std::uint64_t executed_ = 0;  // iterations of all chunks
  std::uint64_t last_ = 0;  // and of the last one
  std::uint64_t last_took_ns_ = 0;
};

}  // namespace leat::inline LEAT_ABI::loop
