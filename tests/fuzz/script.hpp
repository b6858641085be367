// An input as a script: what happens next is read from its bytes, and nothing more happens where they end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace leat_fuzz {

/// Reads an input from its front. Past the end all numbers are 0. Thread safety: none.
class script {
 public:
  explicit script(std::span<const std::byte> bytes) noexcept : left_(bytes) {}

  bool ended() const noexcept { return left_.empty(); }

  std::uint8_t byte() noexcept {
    if (left_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(left_.front());
    left_ = left_.subspan(1);
    return value;
  }

  /// A number of eight bytes, the lowest first.
  std::uint64_t word() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift != 64; shift += 8) value |= std::uint64_t{byte()} << shift;
    return value;
  }

  /// The next bytes: as many, or all that are left.
  std::span<const std::byte> bytes(std::size_t count) noexcept {
    const auto taken = left_.first(std::min(count, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace leat_fuzz
