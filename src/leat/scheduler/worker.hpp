// A worker: a thread that executes tasks. It is made of parts; each has a state and rules of its own, and reaches the
// others through the worker.
//
//   runner      executes the task at hand, then the newest one; it has the task stack, with all tasks and forks
//   ancestry    the scopes and waits on the worker's stack, which tell what descends from what
//   waiter      waits for work that other workers execute
//   requester   as a thief: the request, its victims, and the answers that it accepts
//   hunter      as a thief, where tasks are public: takes them without a request
//   responder   as a victim: requests received, served, passed on, kept
//   donor       as a victim: offers to the idle pool
//   exposer     decides which tasks and forks are public, and when
//   monitor     shows the watchdog where the thread is, and handles its interrupts
//   presence    whether the worker's thread is here, or in a call that blocks
#pragma once

#include <cstdint>

#include "leat/events/worker_counts.hpp"
#include "leat/handshake/parker.hpp"
#include "leat/handshake/presence.hpp"
#include "leat/memory/block_cache.hpp"
#include "leat/profile/worker_times.hpp"
#include "leat/protocol/request.hpp"
#include "leat/scheduler/ancestry.hpp"
#include "leat/scheduler/donor.hpp"
#include "leat/scheduler/exposer.hpp"
#include "leat/scheduler/hunter.hpp"
#include "leat/scheduler/monitor.hpp"
#include "leat/scheduler/requester.hpp"
#include "leat/scheduler/responder.hpp"
#include "leat/scheduler/runner.hpp"
#include "leat/scheduler/waiter.hpp"
#include "leat/work/errors.hpp"
#include "leat/work/processor.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class channel_scheduler;

template <class P>
class worker {
 public:
  worker(channel_scheduler<P>& of, protocol::worker_id id);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// The worker that the calling thread is, or null.
  static worker* current() noexcept { return static_cast<worker*>(P::self()); }

  protocol::worker_id id() const noexcept { return id_; }
  std::uint32_t workers() const noexcept { return workers_; }  // of its scheduler, without spares
  std::uint64_t home_number() const noexcept { return home_number_; }  // settings::number of its scheduler

  /// Works until the runtime stops. The thread's whole life.
  void main();

  /// Answers pending requests. One load when there is none, unless all tasks are public.
  void poll() {
    if (stack().tasks.is_poll_due()) [[unlikely]]
      poll_signalled();
  }

  /// Answers pending requests in any case: for callers that have found the limit signalled, as a join does.
  void poll_now() { check_process(*this), responder.service(); }

  /// From now on the profile, if there is one, shows the worker so. Returns what it showed before. In the handler of an
  /// interrupt nothing changes (PROFILE-2).
  profile::activity shows(profile::activity a) noexcept {
    return times.on() && !monitor.in_handler() ? times.change(a) : a;
  }
  /// The calling thread is the worker from now on, for the profile.
  void shows_thread() noexcept;

  /// Wakes the worker from a wait. Any thread.
  bool notify() { return parker.notify(); }

  /// The tasks and forks. Only the worker may touch them, except where task_stack says otherwise.
  work::task_stack<P>& stack() noexcept { return runner.stack(); }
  const work::task_stack<P>& stack() const noexcept { return runner.stack(); }

  /// Gives back what `home` allocated for a T, which has been destroyed. Any thread, worker or not.
  template <class T>
  static void recycle(void* block, memory::block_home<P>* home) noexcept {
    if (worker* me = current()) me->blocks.template release<T>(block, home);
    else home->template give_back<T>(block);
  }

  /// From now on, in the child of a fork() no thread is a worker. Throws std::bad_alloc.
  static void forget_in_children();

  /// For a proxy: polls on behalf of this worker, if it is blocked.
  void poll_by_proxy();

  channel_scheduler<P>& home;
  scheduler::runner<P> runner;
  scheduler::ancestry<P> ancestry;
  scheduler::waiter<P> waiter;
  scheduler::exposer<P> exposer;
  events::worker_counts<P> counts;
  profile::worker_times times;
  scheduler::monitor<P> monitor;
  scheduler::requester<P> requester;
  scheduler::hunter<P> hunter;
  scheduler::donor<P> donor;
  scheduler::responder<P> responder;
  handshake::presence<P> presence;
  handshake::parker<P> parker;
  memory::block_cache<P> blocks;
  /// Where the scheduler is a published one: what the worker does in place of the parts above but for the runner. Else null.
  work::processor<P>* const published;
  typename P::thread thread;

 private:
  // Apart, so that poll() stays one load and one branch where it is inlined.
  [[gnu::noinline]] void poll_signalled();
  void poll_while_blocked();
  void thread_begins() const noexcept;

  const protocol::worker_id id_;
  const std::uint32_t workers_;
  const std::uint64_t home_number_;
};

/// While it lives, TLS-form code that was called in context-form code enters the context form anew. The floor is
/// raised over the slots in use: the code between cannot pass the context on. The floor is found by a search
/// (task_stack::context_top), and comes down with the scope.
template <class P>
class context_entry {
 public:
  using slot = deque::fork_slot<P>;

  explicit context_entry(worker<P>& me)
      : me_(me), outer_floor_(me.stack().exchange_context_floor(me.stack().context_top())), outer_(me.runner.on()) {
    if (outer_ == ground::thread) me.runner.set_ground(ground::task);  // contexts are the worker's
  }
  context_entry(const context_entry&) = delete;
  context_entry& operator=(const context_entry&) = delete;
  ~context_entry() {
    me_.stack().exchange_context_floor(outer_floor_);
    me_.runner.set_ground(outer_);
  }
  slot* place() const noexcept { return me_.stack().context_floor(); }

 private:
  worker<P>& me_;
  slot* const outer_floor_;
  const ground outer_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
