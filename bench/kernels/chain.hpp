// Cache lines that are visited one after the other, each naming the next: neither the processor nor its prefetchers are ahead of the
// program, so a step takes as long as the lines are far away.

#pragma once

#include <leat/platform/chosen.hpp>

#include <cstdint>
#include <memory>
#include <numeric>

namespace leat::kernels {

/// Thread safety: none; its thread may go on elsewhere.
class chain {
 public:
  explicit chain(std::int64_t lines) : size_(static_cast<std::uint64_t>(lines)), lines_(new line[size_]) {
    std::uint64_t stride = size_ * 5 / 8 + 1;
    while (std::gcd(stride, size_) != 1) ++stride;
    for (std::uint64_t i = 0; i < size_; ++i)
      lines_[i].next.store((i + stride) % size_, platform::relaxed);  // relaxed: one thread
  }

  /// Visits all lines, and changes each by `seed`. What they add up to.
  std::uint64_t visit(std::uint64_t seed) noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    std::uint64_t at = 0, sum = seed;
    // relaxed, all: the lines are one thread's
    for (std::uint64_t i = 0; i < size_; ++i) {
      const std::uint64_t changed = (lines_[at].value.load(platform::relaxed) + seed) * odd;
      lines_[at].value.store(changed, platform::relaxed);
      sum += changed;
      at = lines_[at].next.load(platform::relaxed);
    }
    return sum;
  }

 private:
  struct alignas(platform::cache_line) line {
    platform::chosen::atomic<std::uint64_t> value{0}, next{0};
  };
  std::uint64_t size_;
  std::unique_ptr<line[]> lines_;
};

}  // namespace leat::kernels
