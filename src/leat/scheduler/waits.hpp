// The waits of a runtime that last long: which of them wait for each other in a circle.
//
// Page with the rules CW1-CW6: docs/guide/deadlocks.md. A wait is listed when it has lasted for settings::list_waits_after_ns and
// found nothing to execute, so a wait that ends before costs nothing here.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"
#include "leat/scheduler/spin_lock.hpp"

namespace leat::scheduler {

template <class P>
class worker;

/// What a worker, or the caller of a run, waits in.
enum class wait_kind : std::uint8_t {
  join,
  future,
  group,
  barrier,
  blocking,  ///< leat::blocking: the thread is in the program's own call
  run,  ///< runtime::run
  foreign_run,  ///< runtime::run of another runtime
  foreign_future,  ///< a future of another runtime
};

/// What a wait is for, as its caller knows it.
struct wait_about {
  wait_kind kind;
  const void* key =
      nullptr;  ///< under which others execute what is awaited; null: the wait is listed for reports alone
  bool may_be_left = false;  ///< CW5: the caller throws leat::deadlock when the wait is left
  void (*withdraw)(void* waiter) noexcept = nullptr;  ///< CW6: sees to it that `waiter` is not told any more
  void* waiter = nullptr;
};

/// A wait that runs only what descends from what it waits for (L1); on the stack of the worker that waits.
struct own_wait {
  const void* key;
  std::uint64_t tasks_end;  ///< what is above it in the deque, descends
  own_wait* outer;
  std::uint64_t number;
  std::uint64_t others_end = 0;  ///< while one of these is executed: what is above it in the deque, that one has left
  std::optional<protocol::worker_id> whom = std::nullopt;
};

/// Something that a worker executes under a key, on its stack, and what lies beneath it.
struct execution {
  const void* const key_;
  execution* const outer_;
  const std::uint64_t number_;  ///< larger than of all that the worker had begun before
};

template <class P>
struct open_wait;

/// A wait that is listed, in the frame of the thread that waits.
template <class P>
class long_wait {
 public:
  /// \param me       the worker that waits; null: a thread that is no worker of this runtime
  /// \param beneath  what `me` executes beneath the wait
  /// \param open     and what it had begun before, beneath its innermost open wait
  long_wait(const wait_about& about, worker<P>* me, const execution* beneath, const open_wait<P>* open,
            std::uint64_t since_ns) noexcept
      : about_(about), me_(me), beneath_(beneath), open_(open), since_ns_(since_ns) {}
  long_wait(const long_wait&) = delete;
  long_wait& operator=(const long_wait&) = delete;

  /// Whether the wait is to be left: it was chosen to break a circle. relaxed: waits::leave says so for certain.
  bool is_chosen() const noexcept { return circle_.load(platform::relaxed) != 0; }

  const wait_about& about() const noexcept { return about_; }
  worker<P>* waiter() const noexcept { return me_; }
  std::uint64_t since_ns() const noexcept { return since_ns_; }

  /// CW2: whether what has this key is executed beneath the wait, by the same worker. O(depth), which `steps` counts.
  bool lies_above(const void* key, std::uint32_t& steps) const noexcept;

  /// The list's, under its lock.
  struct place_in_list {
    long_wait* next = nullptr;
    long_wait* before = nullptr;
    long_wait* from = nullptr;  // of a search: a wait that needs this one to end; null: not reached
    long_wait* todo = nullptr;  // of a search: the next one whose needs are to be looked at
  };
  place_in_list listed;

  /// CW5: the wait is to be left, to break a circle of so many. Under the lock of the list.
  void choose(std::uint32_t waits) noexcept {
    circle_.store(waits, platform::relaxed);
  }  // relaxed: circle() is under the lock, too
  /// Of how many waits the circle is that it is to break; or 0. Under the lock of the list.
  std::uint32_t circle() const noexcept { return circle_.load(platform::relaxed); }

 private:
  const wait_about about_;
  worker<P>* const me_;
  const execution* const beneath_;
  const open_wait<P>* const open_;
  const std::uint64_t since_ns_;
  typename P::template atomic<std::uint32_t> circle_{0};
};

/// A wait with wait::any, a carrier's rest, or a barrier, on the worker's stack. What is executed in it may be anything, so the
/// worker's innermost scope begins anew in it.
template <class P>
struct open_wait {
  const execution* executed;  ///< innermost when the wait began
  open_wait* outer;
  const wait_about* about;  ///< null: it is not listed
  std::optional<long_wait<P>> listed = std::nullopt;

  bool is_chosen() const noexcept { return listed && listed->is_chosen(); }
};

template <class P>
bool long_wait<P>::lies_above(const void* key, std::uint32_t& steps) const noexcept {
  const execution* e = beneath_;
  for (const open_wait<P>* o = open_;; o = o->outer) {
    for (++steps; e != nullptr; e = e->outer_, ++steps) {
      if (e->key_ == key) return true;
    }
    if (o == nullptr) return false;
    e = o->executed;
  }
}

/// The list. Thread-safe: a lock for all of it.
template <class P>
class waits {
 public:
  /// A search looks at so many executions and waits at most; what is beyond that is left to the report of hangs.
  static constexpr std::uint32_t steps_max = 1u << 16;

  /// Lists `w`, looks for circles that it is in, and has a wait left in each (CW4, CW5): `w` itself, if it may be. The calling
  /// thread is the one that waits.
  void enter(long_wait<P>& w) noexcept;

  /// The wait is over. Returns 0, or that it was chosen to break a circle of so many waits. The calling thread is the one that waits.
  std::uint32_t leave(long_wait<P>& w) noexcept;

  /// Calls f(wait) for each wait that is listed, newest first. f is not to wait for anything.
  template <class F>
  void each(F f) noexcept {
    const holding<P> all(lock_);
    for (const long_wait<P>* w = newest_; w != nullptr; w = w->listed.next) f(*w);
  }

  /// How often a wait was listed, or ended. A hint.
  std::uint64_t changes() const noexcept { return changes_.load(platform::relaxed); }  // relaxed: a number

 private:
  bool finds_circle(long_wait<P>& of, std::uint32_t& steps) noexcept;
  static bool breaks_circle(long_wait<P>& of) noexcept;
  void count_change() noexcept {
    changes_.store(changes_.load(platform::relaxed) + 1, platform::relaxed);  // relaxed: written under the lock
  }

  spin_lock<P> lock_;
  long_wait<P>* newest_ = nullptr;
  typename P::template atomic<std::uint64_t> changes_{0};
};

}  // namespace leat::scheduler
