// A worker of the channel scheduler: its tasks, its channels and its loop (thesis 3.2, Figure 3.2).
//
// The rules W1-W7 that the comments cite are those of docs/protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/channel/mpsc.hpp"
#include "leat/channel/spsc.hpp"
#include "leat/platform/order.hpp"
#include "leat/protocol/strategy.hpp"
#include "leat/protocol/thief.hpp"
#include "leat/scheduler/block_cache.hpp"
#include "leat/scheduler/counters.hpp"
#include "leat/scheduler/errors.hpp"
#include "leat/scheduler/messages.hpp"
#include "leat/scheduler/parker.hpp"

namespace leat::scheduler {

template <class P>
class channel_scheduler;

template <class P>
class worker {
 public:
  worker(channel_scheduler<P>& home, protocol::worker_id id);

  /// The run that the worker is in; null when it is idle.
  const run<P>* current_run() const noexcept { return run_; }

  /// The worker that the calling thread is, or null.
  static worker* current() noexcept { return static_cast<worker*>(P::self()); }

  protocol::worker_id id() const noexcept { return id_; }
  channel_scheduler<P>& home() const noexcept { return home_; }

  /// Works until the runtime stops. The thread's whole life.
  void main();

  /// Tasks that run in place inside each other at most, when memory is short; the stack has its end, too.
  static constexpr unsigned in_place_max = 1000;

  /// Adds a task to the current run. If the deque is full and memory too short for a larger one, the task runs in place;
  /// if such tasks nest in_place_max deep, throws std::bad_alloc.
  template <class F>
  void spawn(F&& f) {
    if constexpr (!record::fits<std::decay_t<F>>) {
      // Copied before a slot is taken: copying may call anything, spawn as well.
      auto boxed = std::make_unique<std::decay_t<F>>(std::forward<F>(f));
      spawn(boxed_call<std::decay_t<F>>{boxed.get()});
      static_cast<void>(boxed.release());
    } else {
      spawn_kept(std::forward<F>(f));
    }
  }

  /// Answers who asked. One load when nobody did.
  void poll() {
    if (tasks_.asked()) [[unlikely]]
      look();
  }

  /// Waits until every task of the current run is done. Throws misplaced_barrier inside a task, and the first exception
  /// that a task of the run threw.
  void barrier();

  /// Takes the task `f` back, so that the caller may run it, if it is the newest of this worker's tasks.
  template <class F>
  bool take_back(const F& f) {
    record* newest = tasks_.newest();
    if (newest == nullptr || !newest->holds(f)) return false;
    tasks_.pop_unasked();
    counts_.add(event::tasks);
    return true;
  }

  /// Calls f as if it were a task: what it does is not done by the root.
  template <class F>
  void call_as_task(F f) {
    const bool at_root = std::exchange(at_root_, false);
    f();
    at_root_ = at_root;
  }

  /// Waits until ready() is true, and runs nothing meanwhile; the worker's tasks can still be stolen. Whoever makes it true
  /// calls notify().
  template <class Ready>
  void wait_until(Ready ready);

  /// The same, but runs any task of the current run meanwhile, its own and others'.
  template <class Ready>
  void work_until(Ready ready);

  /// Wakes the worker from a wait.
  bool notify() { return parker_.notify(); }

  const tally<P>& counts() const noexcept { return counts_; }

  /// Memory for what tasks leave behind. Only the worker itself.
  block_cache& blocks() noexcept { return blocks_; }

 private:
  friend class channel_scheduler<P>;

  using request = protocol::request;
  using decision = protocol::decision;

  // -- the tasks at hand
  template <class F>
  void spawn_kept(F&& f) {
    record* slot = tasks_.room();
    if (slot == nullptr) [[unlikely]] {
      // By way of a record, too: were f called here, its address would escape, and the common path would have to build
      // f in memory and copy it from there, into a stall of the store buffer.
      record spare;
      record::write(&spare, std::forward<F>(f));
      return spawn_on_full(spare);
    }
    record::write(slot, std::forward<F>(f));
    tasks_.push();
    if (tasks_.asked()) [[unlikely]]
      look();
  }

  record* next();
  void run_tasks();
  void run_root();
  [[gnu::noinline]] void spawn_on_full(record& task);
  void run_in_place(record& task);

  // -- as a victim
  void look();
  bool offer(std::uint64_t epoch);
  void handle(request s);
  void carry_out(request s, decision d);
  void serve(request s, bool update);

  // -- as a thief
  template <class Ready>
  std::optional<answer<P>> await(protocol::status status, protocol::run_id only, Ready ready);
  void ask(protocol::status status, protocol::run_id only);
  template <class Ready>
  void bring_to_rest(Ready ready);

  // Somebody sent our request on, after it may have rested: we are to see to it that it rests (R3). Any thread.
  void take_back_again() {
    forwarded_.store(1, platform::release);  // pairs with the exchange in await
    notify();
  }
  void close();
  void reopen();
  void accept(const answer<P>& a);
  void take(const answer<P>& a);
  void flush_operation_counts();

  task_deque<P> tasks_;
  run<P>* run_ = nullptr;  // whose tasks these are
  unsigned in_place_ = 0;  // tasks that run in place, one inside the other
  bool at_root_ = false;  // the root of run_ executes, with no task on top of it
  channel_scheduler<P>& home_;
  const protocol::worker_id id_;
  tally<P> counts_;

  // Our request while it is out. Who opens it, by changing the ticket from its serial to `held`, may touch the rest (R3).
  static constexpr std::uint64_t ticket_held = 0;  // somebody deals with it, or none is out
  static constexpr std::uint64_t ticket_resting = 1;  // the manager keeps it
  static constexpr std::uint64_t first_serial = 2;
  alignas(platform::cache_line) typename P::template atomic<std::uint64_t> ticket_{ticket_held};
  request posted_;
  protocol::victims victims_;

  protocol::stealing stealing_;
  std::optional<protocol::worker_id> last_victim_;
  bool outstanding_ = false;
  std::uint64_t serial_ = first_serial;  // of our request when it was last answered
  protocol::run_id known_ = protocol::no_run;  // what the manager knew of us when our last request was answered
  std::uint64_t offered_ = 0;  // the pool's epoch of our last offer; 0: offer again

  // Our offer to the manager: none, or dealt with; yet to be dealt with; and then no longer waited for.
  enum class offer_state : std::uint32_t { none, out, given_up };
  typename P::template atomic<offer_state> offer_{offer_state::none};
  typename P::template atomic<std::uint32_t> forwarded_{0};  // 1: our request was sent on since we last looked

  channel::mpsc<P, request> requests_;
  channel::spsc<P, answer<P>> answers_;
  parker<P> parker_;
  block_cache blocks_;
  typename P::thread thread_;
};

}  // namespace leat::scheduler
