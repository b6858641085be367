// How many iterations a worker executes before it polls.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leat::loop {

/// Chunks that take about as long as they should: the size follows what the last chunk took. While nobody asks, those of
/// many iterations may take longer and longer. One worker's, for one loop.
template <class P>
class chunk_clock {
 public:
  /// What a chunk should take at first, and again when somebody has asked: a fraction of what a steal costs the thief.
  static constexpr std::uint64_t chunk_ns = 8'000;

  /// What it should take at most, and what a thief waits for, if iterations are alike, who asks after a quiet time.
  static constexpr std::uint64_t chunk_ns_max = 8 * chunk_ns;

  /// A chunk is at most so many times as large as the one before: the next iterations may be dearer.
  static constexpr std::uint64_t growth_max = 8;

  /// Fewer iterations in a chunk may be nothing like the next ones.
  static constexpr std::uint64_t many = 8;

  /// Iterations in a chunk, of those that take no time at all.
  static constexpr std::uint64_t chunk_max = std::uint64_t{1} << 40;

  /// The first chunk has `least` iterations, and none has fewer.
  explicit chunk_clock(std::uint64_t least) noexcept : least_(least), size_(least), begun_ns_(P::now_ns()) {}

  /// What all chunks took.
  std::uint64_t worked_ns() const noexcept { return worked_ns_; }

  /// Iterations in the next chunk.
  std::uint64_t size() const noexcept { return size_; }

  /// A chunk of `iterations` has been executed.
  void ran(std::uint64_t iterations) noexcept {
    const std::uint64_t now = P::now_ns();
    const std::uint64_t took = std::max<std::uint64_t>(now - begun_ns_, 1);
    begun_ns_ = now;
    worked_ns_ += took;
    const std::uint64_t counted = std::min(iterations, chunk_max);
    if (counted < many) should_take_ns_ = chunk_ns;
    else if (took >= should_take_ns_ / 2) should_take_ns_ = std::min(2 * should_take_ns_, chunk_ns_max);
    const std::uint64_t fitting = std::min(counted * should_take_ns_ / took, counted * growth_max);
    size_ = std::max(std::min(fitting, chunk_max), least_);
  }

  /// Somebody asked. What was done since the last chunk was none.
  void restart() noexcept {
    begun_ns_ = P::now_ns();
    size_ = std::max(size_ * chunk_ns / should_take_ns_, least_);
    should_take_ns_ = chunk_ns;
  }

 private:
  const std::uint64_t least_;
  std::uint64_t size_;
  std::uint64_t should_take_ns_ = chunk_ns;
  std::uint64_t begun_ns_;
  std::uint64_t worked_ns_ = 0;
};

}  // namespace leat::loop
