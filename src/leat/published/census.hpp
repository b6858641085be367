// The manager's account of idle workers (thesis, 4.1.1).
#pragma once

#include <cstdint>
#include <vector>

#include "leat/protocol/request.hpp"

namespace leat::published {

/// Which workers are registered as idle. The manager's alone.
class census {
 public:
  /// \param workers  how many there are
  /// \param needed   how many of them the manager must have registered before it knows that all are idle
  census(std::uint32_t workers, std::uint32_t needed) : registered_(workers), needed_(needed) {}

  void set(protocol::worker_id w, bool idle) {
    if (registered_[w] == idle) return;
    registered_[w] = idle;
    count_ += idle ? 1 : ~0u;
  }

  bool all_idle() const noexcept { return count_ == needed_; }

 private:
  std::vector<bool> registered_;
  std::uint32_t needed_;
  std::uint32_t count_ = 0;
};

}  // namespace leat::published
