// A byte for each worker, side by side, which says one thing of it: to know it of many workers takes few cache lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// Each worker writes its own mark, or its proxy does, and a thief clears one (WORKER-11); any thread reads. One load or
/// store each, to a line that 64 workers share. Relaxed, all: the code that uses marks fences where their order matters (ACTOR-3).
template <class P>
class marks {
 public:
  explicit marks(std::size_t workers) : lines_((workers + platform::cache_line - 1) / platform::cache_line) {}

  void set(protocol::worker_id w) noexcept { of(w).store(1, platform::relaxed); }
  void clear(protocol::worker_id w) noexcept { of(w).store(0, platform::relaxed); }
  bool operator()(protocol::worker_id w) const noexcept {
    return lines_[w / platform::cache_line].each[w % platform::cache_line].load(platform::relaxed) != 0;
  }

 private:
  struct alignas(platform::cache_line) line {
    std::array<typename P::template atomic<std::uint8_t>, platform::cache_line> each{};
  };

  auto& of(protocol::worker_id w) noexcept { return lines_[w / platform::cache_line].each[w % platform::cache_line]; }

  std::vector<line> lines_;
};

}  // namespace leat::inline LEAT_ABI::handshake
