// Fibres that spin, and find each time what they found before: the world goes on without them until that changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

struct fibre;

/// One round of a fibre's spin loop: the lines that it has read since it began, and how often each had been written.
class spin_round {
 public:
  static constexpr std::size_t lines_max = 16;
  struct read {
    std::uint64_t line, writes;
  };

  void begin(std::uint64_t ps) noexcept {
    begun_ps_ = ps;
    count_ = 0;
    on_ = true;
  }
  /// The round did more than read.
  void spoil() noexcept { on_ = false; }
  bool on() const noexcept { return on_; }
  void reads(read r) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (reads_[i].line == r.line) return;  // the first count stands, so that a write since then shows
    }
    if (count_ == lines_max) return spoil();
    reads_[count_++] = r;
  }

  const read* begin() const noexcept { return reads_.data(); }
  const read* end() const noexcept { return reads_.data() + count_; }
  std::uint64_t begun_ps() const noexcept { return begun_ps_; }

 private:
  std::array<read, lines_max> reads_{};
  std::size_t count_ = 0;
  std::uint64_t begun_ps_ = 0;
  bool on_ = false;
};

/// Which fibres wait for which lines. Costs O(fibres that wait for lines with the same hash). Thread safety: none; a world runs on
/// one thread of the host.
class idlers {
 public:
  void clear();
  /// A fibre of this world idles, for the first time or again. Before the first, writes of lines need not be counted.
  void begin() noexcept { ever_ = true; }
  bool ever() const noexcept { return ever_; }
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
  bool ever_ = false;
};

}  // namespace leat::inline LEAT_ABI::platform
