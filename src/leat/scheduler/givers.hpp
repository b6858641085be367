// Who may have something to give, as its channel is open: a byte for each worker, side by side, so that a thief among many that
// have nothing finds those who have, and reads few lines for that (W3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"

namespace leat::scheduler {

/// Hints, and no more: a channel decides by itself whether it takes a request, and its worker what becomes of it. Each worker
/// writes its own; any thread reads. One load or store each, to a line that 64 workers share.
template <class P>
class givers {
 public:
  explicit givers(std::size_t workers) : lines_((workers + platform::cache_line - 1) / platform::cache_line) {}

  // relaxed, all: hints.
  void enter(protocol::worker_id w) noexcept { mark(w).store(1, platform::relaxed); }
  void leave(protocol::worker_id w) noexcept { mark(w).store(0, platform::relaxed); }
  bool operator()(protocol::worker_id w) const noexcept {
    return lines_[w / platform::cache_line].marks[w % platform::cache_line].load(platform::relaxed) != 0;
  }

 private:
  struct alignas(platform::cache_line) line {
    std::array<typename P::template atomic<std::uint8_t>, platform::cache_line> marks{};
  };

  auto& mark(protocol::worker_id w) noexcept {
    return lines_[w / platform::cache_line].marks[w % platform::cache_line];
  }

  std::vector<line> lines_;
};

}  // namespace leat::scheduler
