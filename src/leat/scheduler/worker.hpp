// A worker: a thread that executes tasks, and the parts of which it is made. Each part has a state of its own, and rules; parts
// reach each other through the worker.
//
//   runner      how I execute: the task at hand, the newest one next; it has the task stack, what I have
//   ancestry    what lies on my stack: scopes that others wait for, and the waits that I am in
//   waiter      how I wait for what others execute
//   requester   as a thief: my request, whom I ask, what I accept
//   hunter      as a thief, where tasks are public: how I take some by myself
//   responder   as a victim: requests received, served, passed on, kept
//   donor       as a victim: what I offer to the idle pool
//   exposer     what of mine is public, and when
//   monitor     what the watchdog sees of me, and the handler of its interrupts
//   presence    whether I am here, or in a call that blocks
#pragma once

#include <cstdint>

#include "leat/protocol/request.hpp"
#include "leat/scheduler/ancestry.hpp"
#include "leat/scheduler/block_cache.hpp"
#include "leat/scheduler/donor.hpp"
#include "leat/scheduler/errors.hpp"
#include "leat/scheduler/exposer.hpp"
#include "leat/scheduler/hunter.hpp"
#include "leat/scheduler/monitor.hpp"
#include "leat/scheduler/parker.hpp"
#include "leat/scheduler/presence.hpp"
#include "leat/scheduler/requester.hpp"
#include "leat/scheduler/responder.hpp"
#include "leat/scheduler/runner.hpp"
#include "leat/scheduler/waiter.hpp"
#include "leat/scheduler/worker_counts.hpp"

namespace leat::scheduler {

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

  /// Answers pending requests. One load when there is none, but where all is public.
  void poll() {
    if (stack().tasks.asked()) [[unlikely]]
      poll_asked();
  }

  /// Answers pending requests, as a join does that finds the limit signalled.
  void poll_now() { check_process(*this), responder.service(); }

  /// Wakes the worker from a wait. Any thread.
  bool notify() { return parker.notify(); }

  /// What it has. The worker's, but for what others may call.
  task_stack<P>& stack() noexcept { return runner.stack(); }
  const task_stack<P>& stack() const noexcept { return runner.stack(); }

  /// Gives back what `home` allocated for a T, which has been destroyed. Any thread, worker or not.
  template <class T>
  static void recycle(void* block, block_home<P>* home) noexcept {
    if (worker* me = current()) me->blocks.template release<T>(block, home);
    else home->template give_back<T>(block);
  }

  /// From now on, in the child of a fork() no thread is a worker. Throws std::bad_alloc.
  static void forget_in_children();

  /// The attendant's: polls in the stead of this worker, if it is absent.
  void attend();

  channel_scheduler<P>& home;
  scheduler::runner<P> runner;
  scheduler::ancestry<P> ancestry;
  scheduler::waiter<P> waiter;
  scheduler::exposer<P> exposer;
  worker_counts<P> counts;
  scheduler::monitor<P> monitor;
  scheduler::requester<P> requester;
  scheduler::hunter<P> hunter;
  scheduler::donor<P> donor;
  scheduler::responder<P> responder;
  scheduler::presence<P> presence;
  scheduler::parker<P> parker;
  block_cache<P> blocks;
  typename P::thread thread;

 private:
  [[gnu::noinline]] void poll_asked();
  void poll_in_its_stead();

  const protocol::worker_id id_;
  const std::uint32_t workers_;
  const std::uint64_t home_number_;
};

/// While it lives, TLS-form code that was called in context-form code enters the context form anew.
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

}  // namespace leat::scheduler
