// Fibres that spin, and find each time what they found before: the world goes on without them until that changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace leat::platform {

struct fibre;

/// One round of a spin loop: the lines that it has read since it began.
class spin_round {
 public:
  static constexpr std::size_t lines_max = 16;

  void begin(std::uint64_t ps) noexcept {
    begun_ps_ = ps;
    count_ = 0;
    on_ = true;
  }
  /// What has been done since the last begin() is more than to read.
  void spoil() noexcept { on_ = false; }
  bool on() const noexcept { return on_; }
  void reads(std::uint64_t line) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (lines_[i] == line) return;
    }
    if (count_ == lines_max) return spoil();
    lines_[count_++] = line;
  }

  const std::uint64_t* begin() const noexcept { return lines_.data(); }
  const std::uint64_t* end() const noexcept { return lines_.data() + count_; }
  std::uint64_t begun_ps() const noexcept { return begun_ps_; }

 private:
  std::array<std::uint64_t, lines_max> lines_{};
  std::size_t count_ = 0;
  std::uint64_t begun_ps_ = 0;
  bool on_ = false;
};

/// Who waits for which lines. Costs O(fibres that wait for lines with the same hash). Thread safety: none; a world runs on
/// one thread of the host.
class idlers {
 public:
  void clear();
  bool any() const noexcept { return count_ != 0; }
  /// `f` waits for the lines of its round.
  void add(fibre& f);
  /// It does so no more.
  void remove(fibre& f);
  /// A fibre that waits for that line, or null.
  fibre* of(std::uint64_t line) const;

 private:
  static constexpr std::size_t buckets = 1024;
  using bucket = std::vector<std::pair<std::uint64_t, fibre*>>;

  std::array<bucket, buckets> waiting_;
  std::size_t count_ = 0;
};

}  // namespace leat::platform
