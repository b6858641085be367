// How many iterations a worker executes before it looks whether somebody asks.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leat::loop {

/// Chunks that take about chunk_ns each: the size follows what the last chunk took. One worker's, for one loop.
template <class P>
class chunk_clock {
 public:
  /// What a thief waits for at most, if iterations are alike; and 200 times what reading the clock costs.
  static constexpr std::uint64_t chunk_ns = 8'000;

  /// A chunk is at most so many times as large as the one before: the next iterations may be dearer.
  static constexpr std::uint64_t growth_max = 8;

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
    const std::uint64_t fitting = std::min(counted * chunk_ns / took, counted * growth_max);
    size_ = std::max(std::min(fitting, chunk_max), least_);
  }

  /// What was done since the last chunk was none.
  void restart() noexcept { begun_ns_ = P::now_ns(); }

 private:
  const std::uint64_t least_;
  std::uint64_t size_;
  std::uint64_t begun_ns_;
  std::uint64_t worked_ns_ = 0;
};

}  // namespace leat::loop
