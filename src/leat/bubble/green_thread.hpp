// A green thread: its callable, the place where it is suspended, and the threads that wait for its end.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "leat/bubble/entity.hpp"
#include "leat/bubble/spin_lock.hpp"
#include "leat/bubble/wait_line.hpp"
#include "leat/fibre/context.hpp"
#include "leat/fibre/stack.hpp"

namespace leat::inline LEAT_ABI::bubbles {

template <class P>
class thread_scheduler;

/// A user-level thread, as the scheduler of threads sees it. Its handle is a `thread`.
///
/// It has two users, its handle and the carrier that executes its end, which may be done with it in either
/// order. `phase` is for its bubble alone: a thread outside of bubbles is on a list, or executes, or is in
/// the line of the thing that it waits for.
template <class P>
struct green_thread : entity<P> {
  enum class phase : std::uint8_t { held, waiting, running, blocked };

  green_thread(thread_scheduler<P>& h, std::int32_t p, fibre::stack<P> s, std::uint64_t n)
      : entity<P>(head::kind::thread, p), home(h), on(std::move(s)), number(n), own_priority(p) {}
  virtual ~green_thread() = default;

  /// Once, on its stack.
  virtual void call() = 0;

  thread_scheduler<P>& home;
  std::shared_ptr<thread_scheduler<P>> kept;  ///< home, of one that is made held: its handle may outlive run_threads
  fibre::stack<P> on;
  fibre::context at;
  const std::uint64_t number;  ///< in its home, from 0 in the order in which threads are made

  /// Its priority, as the thread itself reads it without a lock when it yields. Written under the lock of the area's list.
  typename P::template atomic<std::int32_t> own_priority;

  /// 1: it leaves its bubble when it is put on a list the next time (BUBBLE-9). Written under the
  /// bubbles' lock and that of the area's list; the thread itself reads it without, as a hint.
  typename P::template atomic<std::uint32_t> leaves{0};

  /// Only that of a bubble's member counts. Guarded by the lock of the area's list (BUBBLE-4).
  phase now = phase::held;

  /// 1 while a carrier executes it, or has not left its stack yet (THREAD-4).
  typename P::template atomic<std::uint32_t> carried{0};

  /// Its handle, and the carrier that executes it: the last one that lets it go destroys it.
  typename P::template atomic<std::uint32_t> users{2};

  spin_lock<P> gate;  ///< guards what follows
  bool ended = false;
  bool awoken = false;  ///< a wake that no sleep has used up yet
  bool has_handle = true;
  bool released = false;  ///< on a list, or in a bubble
  wait_line<P> joiners;
  wait_line<P> sleeper;
  std::exception_ptr failure;  ///< once it has ended

  /// It never began, and is its caller's alone. Under no lock: its callable's destructor may do anything.
  void discard() noexcept {
    at.end();
    delete this;
  }

  /// One of its users needs it no more.
  void let_go() noexcept {
    // acq_rel: pairs with the other user's, whose last access happens before the destruction.
    if (users.fetch_sub(1, platform::acq_rel) == 1) delete this;
  }
};

}  // namespace leat::inline LEAT_ABI::bubbles
