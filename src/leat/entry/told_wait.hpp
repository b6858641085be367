// Waits that end when another thread sets a word. They do not depend on the caller's type, so the library compiles
// them once. The thread that sets the word calls notify() after that (PARKER-2).
#pragma once

#include <cstdint>
#include <optional>

#include "leat/platform/order.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::entry {

/// 1 when the waiter has been told.
template <class P>
using told_word = typename P::template atomic<std::uint32_t>;

/// What a wait calls before it begins a task, if anything.
struct before_task {
  void (*call)(void*) = nullptr;
  void* with = nullptr;
};

/// waiter::work_until, until the word is set and `me` notified. Returns 0, or the number of waits of the circle that
/// this one was left to break.
template <class P>
std::uint32_t work_until_told(scheduler::worker<P>& me, const told_word<P>& told, const waiting::wait_about& about,
                              before_task before) {
  struct until {
    const told_word<P>& told;
    const before_task before;

    // acquire: pairs with the release in future_task and channel_wait
    bool operator()() const { return told.load(platform::acquire) != 0; }
    void begins_task() const {
      if (before.call != nullptr) before.call(before.with);
    }
  };
  return me.waiter.work_until(until{told, before}, &about);
}

/// waiter::help_until, until the word is set and `me` notified. whom(awaited): the worker to ask, if any is known.
template <class P>
std::uint32_t help_until_told(scheduler::worker<P>& me, const told_word<P>& told, const void* awaited,
                              const waiting::wait_about& about,
                              std::optional<protocol::worker_id> (*whom)(const void* awaited)) {
  const auto ready = [&told] {
    return told.load(platform::acquire) != 0;
  };  // acquire: pairs with the release in future_task
  return me.waiter.help_until(awaited, about, ready, [awaited, whom](bool) { return whom(awaited); });
}

}  // namespace leat::inline LEAT_ABI::entry
