// How a worker leaves its place and comes back. Rules BLOCKING-1 to BLOCKING-6: handshake/proxies.hpp.
#pragma once

#include <optional>

#include "leat/scheduler/worker.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::entry {

/// While it lives, the worker that the calling thread was is blocked, and the thread is no worker. Costs two messages
/// to the manager, and the start of a spare the first time.
template <class P>
class blocked_scope {
 public:
  explicit blocked_scope(scheduler::worker<P>& me);
  blocked_scope(const blocked_scope&) = delete;
  blocked_scope& operator=(const blocked_scope&) = delete;
  ~blocked_scope();

 private:
  // In this order: the thread stops being a worker, the worker becomes blocked, and the manager hears of it.
  // come_back() does the reverse.
  void leave();
  void come_back();

  scheduler::worker<P>& me_;
  const void* outer_ = nullptr;  // left_workers::home of before
  std::optional<waiting::long_wait<P>> listed_;  // if hangs are reported
};

}  // namespace leat::inline LEAT_ABI::entry
