// A worker of the channel scheduler: its tasks, its channels and its loop (thesis 3.2, Figure 3.2).
// The rules W1-W8 that the comments cite are those of docs/protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "leat/channel/mpsc.hpp"
#include "leat/channel/spsc.hpp"
#include "leat/deque/fork_stack.hpp"
#include "leat/platform/order.hpp"
#include "leat/protocol/exposure.hpp"
#include "leat/protocol/pace.hpp"
#include "leat/protocol/random.hpp"
#include "leat/protocol/strategy.hpp"
#include "leat/protocol/thief.hpp"
#include "leat/scheduler/abort.hpp"
#include "leat/scheduler/block_cache.hpp"
#include "leat/scheduler/boxed.hpp"
#include "leat/scheduler/counters.hpp"
#include "leat/scheduler/errors.hpp"
#include "leat/scheduler/group.hpp"
#include "leat/scheduler/lookout.hpp"
#include "leat/scheduler/messages.hpp"
#include "leat/scheduler/offer.hpp"
#include "leat/scheduler/owned_tasks.hpp"
#include "leat/scheduler/parker.hpp"
#include "leat/scheduler/presence.hpp"
#include "leat/scheduler/public_tag.hpp"
#include "leat/scheduler/relief.hpp"
#include "leat/scheduler/stay.hpp"
#include "leat/scheduler/ticket.hpp"
#include "leat/scheduler/waits.hpp"
#include "leat/scheduler/watch.hpp"

namespace leat::scheduler {

template <class P>
class channel_scheduler;
template <class P, class Worker>
class attendance;

template <class P>
class worker {
 public:
  using slot = deque::fork_slot<P>;

  worker(channel_scheduler<P>& home, protocol::worker_id id);

  /// The run that the worker is in; null when it is idle.
  run<P>* current_run() const noexcept { return run_; }

  /// The worker that the calling thread is, or null.
  static worker* current() noexcept { return static_cast<worker*>(P::self()); }

  protocol::worker_id id() const noexcept { return id_; }
  channel_scheduler<P>& home() const noexcept { return home_; }
  std::uint32_t workers() const noexcept { return workers_; }  // of home, without spares
  std::uint64_t home_number() const noexcept { return home_number_; }  // settings::number of home

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
      const auto call = boxed<P, std::decay_t<F>>::make(*this, std::forward<F>(f));
      try {
        spawn_kept(call);
      } catch (...) {
        call.drop();
        throw;
      }
    } else {
      spawn_kept(std::forward<F>(f));
    }
  }

  /// Answers who asked. One load when nobody did, but where all is public.
  void poll() {
    if (tasks_.asked()) [[unlikely]]
      polled();
  }

  /// Waits until every task of the current run is done. Throws misplaced_barrier inside a task, and the first exception
  /// that a task of the run threw.
  void barrier();

  /// Takes the task `f` back, so that the caller may run it, if it is the newest of this worker's tasks.
  template <class F>
  bool take_back(const F& f);

  /// Takes the newest of this worker's tasks, if it is an F for which `wanted` is true.
  template <class F, class Wanted>
  std::optional<F> take_newest_if(Wanted wanted);

  /// Takes the newest of this worker's tasks back, if wanted(record&) is true, as its next task, uncounted: the caller goes on
  /// with it. The record is good until the next push. Looks if somebody asks.
  /// \param since  end_index() when the caller began
  template <class Wanted>
  record* take_back_if(Wanted wanted, std::uint64_t since);
  std::uint64_t end_index() const noexcept { return tasks_.end_index(); }

  /// Whether somebody wants some of this worker's tasks, and has not been answered. One load.
  bool is_asked_for_tasks() const noexcept { return tasks_.asked_in_earnest(); }

  /// Whether this worker's tasks may have among them records of futures' tasks that have been run otherwise (F3).
  bool has_spent_records() const noexcept { return spent_records_; }
  void note_spent_records(bool some) noexcept { spent_records_ = some; }
  bool has_tasks() noexcept {
    const stay<P> here(*this, whereabouts::runtime);  // public ones, too
    return !tasks_.empty();
  }

  /// Calls f as if it were a task: what it does is not done by the root.
  template <class F>
  decltype(auto) call_as_task(F f) {
    return call_as_task_of(in_group_, f);
  }

  /// The same as a task of group `g`, or of none.
  template <class F>
  decltype(auto) call_as_task_of(const group<P>* g, F f) {
    struct restore {
      worker& me;
      const ground on;
      const group<P>* const in_group;
      ~restore() { me.ground_ = on, me.in_group_ = in_group; }
    };
    const restore after{*this, std::exchange(ground_, ground::task), std::exchange(in_group_, g)};
    return f();
  }

  /// Waits until ready() is true, and runs any task of the current run meanwhile, its own and others', each after
  /// ready.begins_task(), if that exists. Whoever makes it true calls notify(). Returns 0, or of how many waits the circle is
  /// for which it was left (CW5); the wait is listed if `about` is given.
  template <class Ready>
  std::uint32_t work_until(Ready ready, const wait_about* about = nullptr);

  /// Waits until ready() is true and meanwhile runs only what descends from `awaited`, the key under which others execute
  /// (see executing) what makes it true; the worker's tasks can still be stolen. whom(asked) gives the worker to ask, if any is
  /// known; with `asked`, another one, if there are several. Whoever makes ready() true calls notify(). Returns as work_until.
  template <class Ready, class Whom>
  std::uint32_t help_until(const void* awaited, const wait_about& about, Ready ready, Whom whom);

  /// Lists a wait of this worker's (CW1), unless it is listed; or only if hangs are reported. end_listed returns what waits::leave does, or 0.
  void list(std::optional<long_wait<P>>& w, const wait_about& about);
  void list_if_reported(std::optional<long_wait<P>>& w, wait_kind kind);
  std::uint32_t end_listed(std::optional<long_wait<P>>& w) noexcept;

  /// While it lives, on the worker's stack, what the worker executes descends from what others await under `key`.
  class executing : public execution {
   public:
    executing(worker& me, const void* key);
    executing(const executing&) = delete;
    executing& operator=(const executing&) = delete;
    ~executing();

   private:
    friend class worker;
    executing* outer() const noexcept { return static_cast<executing*>(outer_); }
    worker& me_;
    // What is above these was made since it began.
    slot* const plain_top_;
    slot* const marked_top_;
    slot* const outer_floor_;
    std::uint64_t tasks_end_;
    const unsigned waits_;  // that it is in
  };

  // -- tasks of groups; see group.hpp

  /// The group that the worker's present task belongs to; or null.
  const group<P>* current_group() const noexcept { return in_group_; }
  /// Adds the task `f` of group `g`; see spawn.
  template <class F>
  void spawn_owned(group<P>& g, void (*call)(void*, bool), F f);

  /// Takes the worker's newest task if it belongs to `g`. The record is good until the next push.
  record* next_of(const group<P>* g);

  /// Takes the newest task of the group that has this key, wherever it lies in the worker's deque, for another worker, which
  /// says so when it has it. O(size of the deque); O(1) if it is not a group's key.
  bool take_owned(const void* key, record& taken);

  // -- forks; see task/fork_join.hpp

  /// The join of a fork that was given away, or of any when somebody asks: `s` is its slot, which has been given up (K3).
  /// True if the fork was given away; it is done then, and its outcome lies in the slot. Else the caller is to run it.
  bool join_plain(slot* s);
  bool join_marked(slot* s);

  /// The first marked slot that is not in use: all below it are, none above. O(log of the depth of the context code that
  /// the worker is in).
  slot* marked_top() const noexcept { return marked_forks_.top_of_marked(marked_floor_); }

  /// While it lives, plain code that was called in context code enters the context form anew.
  class context_entry {
   public:
    explicit context_entry(worker& me)
        : me_(me), outer_floor_(std::exchange(me.marked_floor_, me.marked_top())), outer_(me.ground_) {
      if (outer_ == ground::thread) me.ground_ = ground::task;  // contexts are the worker's
    }
    context_entry(const context_entry&) = delete;
    context_entry& operator=(const context_entry&) = delete;
    ~context_entry() { me_.marked_floor_ = outer_floor_, me_.ground_ = outer_; }
    slot* place() const noexcept { return me_.marked_floor_; }

   private:
    worker& me_;
    slot* const outer_floor_;
    const ground outer_;
  };

  // -- loops; see loop/splittable.hpp

  /// Whether the plain fork in slot `s`, which has not been joined, was given away.
  bool has_given(const slot* s) const noexcept { return plain_forks_.was_taken(s); }

  /// Whether somebody asks, or has the plain fork in slot `s`, where the limit is above the slot for one reason or another.
  bool is_asked_about(const slot* s) const noexcept {
    return exposure_.now() != protocol::exposure::all || plain_forks_.asked_in_earnest() || has_given(s);
  }

  /// Whether the plain fork in slot `s`, which has been given up, is the caller's for sure, without a join.
  bool owns(const slot* s) const noexcept {
    P::signal_fence();  // the look of an interrupt may just have given it away
    return exposure_.now() != protocol::exposure::all && !plain_forks_.given_away(s);
  }

  /// How many ask, of whom `most` are counted, beyond those for whom there are forks or tasks. An estimate.
  std::size_t unserved(std::size_t most);

  /// Answers who asked, as a join does that finds the limit raised.
  void look_now() { check_process(*this), look(); }

  /// A part of a loop was executed by another worker.
  void count_split() { counts_.add(event::splits); }

  /// Executes a fork that was given away, and tells the worker that joins it.
  void run_fork(slot* s, typename slot::call_type call);

  /// Wakes the worker from a wait.
  bool notify() { return parker_.notify(); }

  /// The calling worker leaves: until it comes back it executes and touches nothing of its own, and its tasks stay
  /// stealable. A spare takes its place if there is one. See absence.hpp.
  void leave();
  void come_back();

  /// From now on, in the child of a fork() no thread is a worker. Throws std::bad_alloc.
  static void forget_in_children();

  /// Whether the worker has left and not come back. Any thread; one load.
  bool absent() const noexcept { return presence_.absent(); }

  counters read_counters() const noexcept {
    counters both = counts_.read();
    both += interrupted_counts_.read();
    return both;
  }

  /// Memory for what tasks leave behind. Only the worker itself.
  block_cache<P>& blocks() noexcept { return blocks_; }

  /// Gives back what `home` allocated for a T, which has been destroyed. Any thread, worker or not.
  template <class T>
  static void recycle(void* block, block_home<P>* home) noexcept {
    if (worker* me = current()) me->blocks_.template release<T>(block, home);
    else home->template give_back<T>(block);
  }

 private:
  friend class channel_scheduler<P>;
  friend class group<P>;
  template <class Q, class Home>
  friend class hang_report;
  friend class stay<P>;
  friend class undisturbed<P>;
  friend class footing<P>;
  friend class attendance<P, worker<P>>;
  friend class watch<P, channel_scheduler<P>>;
  using request = protocol::request;
  using decision = protocol::decision;
  using exposure_wish = protocol::exposure_wish;

  // -- the tasks at hand
  template <class F>
  void spawn_kept(F&& f);
  template <class F>
  [[gnu::noinline]] void spawn_kept_on_full(F f);
  record* next();
  [[gnu::noinline]] record* next_asked();
  template <class Wanted>
  record* next_if(Wanted wanted);
  template <class Wanted>
  [[gnu::noinline]] record* next_if_asked(Wanted wanted);
  template <class Wanted>
  record* next_in_wait_if(Wanted wanted);
  using search = owned_search<task_deque<P>>;
  bool take_owned(const group<P>* g, search& where, record& taken);
  bool take_newest();
  void arrived(const answer<P>& a);
  void run_tasks();
  void run_root();
  [[gnu::noinline]] void spawn_on_full(record& task);
  void run_in_place(record& task);

  // -- what is public, see share.hpp
  bool shares() const noexcept { return exposure_.now() != protocol::exposure::none; }
  [[gnu::noinline]] void publish() noexcept;
  [[gnu::noinline]] void withdraw() noexcept;
  bool publishes_pushed();
  [[gnu::noinline]] void pushed();
  [[gnu::noinline]] void polled();
  template <class Wanted>
  record* pop_public(Wanted wanted);
  bool keeps(deque::fork_stack<P>& forks, slot* s);
  void works_in(run<P>& r) noexcept;
  void want_exposure(worker& victim, bool insist);
  bool interrupt();
  bool take_public(worker& victim, answer<P>& a);
  bool helps_itself(const void* key, worker& victim);
  void note_long_tasks(std::uint64_t waited_ns);
  template <class Ready>
  std::optional<answer<P>> hunt(protocol::run_id only, Ready ready);
  // -- as a victim
  void attend();
  void look_in_its_stead();
  void look();
  bool may_offer() noexcept;
  bool others_offer() const noexcept;
  bool sees_nothing_new() noexcept;
  void look_at_requests();
  void count(event e, std::uint64_t n = 1) { (interrupted_ ? interrupted_counts_ : counts_).add(e, n); }  // I3

  // -- as one who is watched
  static void on_interrupt() noexcept;
  void interrupted() noexcept;
  bool owes_a_look() const noexcept;
  std::uint64_t patience(std::uint64_t after_ns) const noexcept;
  bool overdue(std::uint64_t now_ns, std::uint64_t after_ns) noexcept;
  bool take_interrupted(const void* key, record& taken) noexcept;
  bool make_offer(std::uint64_t epoch);
  void hold(request s);
  void carry_out(request s, decision d);
  void hand_on(request s, decision d);
  void serve(request s, bool update);
  void take_over_account() noexcept {
    if (account_ != nullptr) account_->take_over();
  }

  // -- leapfrogging, as a victim
  bool serve_follower(request s);
  executing* executes(const void* key) noexcept;
  slot* oldest_fork() noexcept;
  slot* oldest_fork_since(const executing& e) noexcept;
  void give_fork(slot* s, answer<P>& a, protocol::worker_id thief) noexcept;
  bool descends(record& task, const executing& e) noexcept;
  std::size_t oldest_of(const group<P>* g, std::size_t most) noexcept;
  std::size_t oldest_since(const executing& e, protocol::amount wanted) noexcept;
  bool take_fork(const void* key, record& taken);
  void strangers_came() noexcept;
  void sink_marks() noexcept;
  void send_away_followers(const void* key);

  // -- and as a thief
  void follow(const void* key, protocol::worker_id to);
  void stop_following();
  bool run_task_of_wait();
  void help_with(record& task);
  void join(deque::fork_stack<P>& forks, slot* s);
  void raise() noexcept {
    tasks_.raise();
    plain_forks_.raise();
    marked_forks_.raise();
  }
  bool has_work() noexcept { return !tasks_.empty() || oldest_fork() != nullptr; }
  bool somebody_asks() const noexcept { return requests_.size() != 0 || follows_.size() != 0; }
  bool is_asked() noexcept;
  void decline_followers();
  void execute(record& task);
  template <class Ready>
  std::optional<answer<P>> await(protocol::status status, protocol::run_id only, Ready ready);
  void ask(protocol::status status, protocol::run_id only);
  void stop_asking();
  template <class Ready>
  void pause(Ready ready);
  template <class Ready>
  void bring_to_rest(protocol::status status, protocol::run_id only, Ready ready);

  // Somebody sent our request on, after it may have rested: we are to see to it that it rests (R3). Any thread.
  void take_back_again() {
    forwarded_.store(1, platform::release);  // pairs with the exchange in await
    notify();
  }
  void close();
  void reopen();
  void accept(const answer<P>& a);
  bool makes_room();
  void take(const answer<P>& a);
  void flush_operation_counts();

  task_deque<P> tasks_;
  deque::fork_stack<P> plain_forks_;
  deque::fork_stack<P> marked_forks_;
  deque::fork_words<P>* words_ = nullptr;  // of our thread
  slot* marked_floor_ = marked_forks_.base();  // below it all marked slots are in use
  executing* executing_ = nullptr;  // innermost
  std::uint64_t executings_ = 0;  // that have begun
  const group<P>* in_group_ = nullptr;
  typename group<P>::account* account_ = nullptr;  // innermost
  record at_hand_;  // the last task that was taken before the worker looked, which may write the deque's slots
  std::uint64_t searches_ = 0;  // searches of tasks_ so far
  run<P>* run_ = nullptr;  // whose tasks these are
  unsigned in_place_ = 0;  // tasks that run in place, one inside the other
  bool spent_records_ = false;
  ground ground_ = ground::task;
  pins pins_;
  channel_scheduler<P>& home_;
  const protocol::worker_id id_;
  const std::uint32_t workers_;
  const std::uint64_t home_number_;
  protocol::exposing exposure_;
  std::uint64_t exposed_ = 0;  // tasks and forks that were made public on request when the worker was last in a task
  run<P>* hunts_in_ = nullptr;  // X1: the run that the manager counts us under, and its name
  protocol::run_id hunts_for_ = protocol::no_run;
  protocol::random hunted_;
  // For those who hunt: our thread's words, whether anybody waits for us to expose (X2), and what is public (X1, X3).
  deque::fork_words<P>* thread_words_ = nullptr;
  alignas(platform::cache_line) typename P::template atomic<exposure_wish> wanted_{};
  public_tag<P> tag_;
  alignas(platform::cache_line) tally<P> counts_;
  tally<P> interrupted_counts_;  // of what is done by the handler of an interrupt (I3)
  bool interrupted_ = false, goes_away_ = false;  // that handler executes; we are about to be somewhere else (V3)
  protocol::random search_begins_{0};  // in those of interrupts
  typename P::template atomic<whereabouts> where_{whereabouts::runtime};
  typename P::template atomic<std::uint32_t> looks_{1};
  typename P::template atomic<std::uint32_t> unserved_{0};  // 1: our last look left others waiting
  typename P::template atomic<std::uint32_t> in_vain_{0};  // interrupts one after the other that did so

  // Who watches: looks_ when we were first seen to owe a look, and when (in microseconds; both 32 bits).
  typename P::template atomic<std::uint64_t> note_{0};
  typename P::template atomic<std::uint32_t> dozes_{0};  // 1: sleeps without a clock, for want of work

  ticket<P> ticket_;  // of our request
  protocol::victims victims_;
  protocol::stealing stealing_;
  protocol::pace pace_;
  std::optional<protocol::worker_id> last_victim_, asked_;
  bool outstanding_ = false;
  std::uint64_t serial_ = ticket<P>::first_serial;  // of our request when it was last answered
  protocol::run_id known_ = protocol::no_run;  // what the manager knew of us when our last request was answered
  std::uint64_t offered_ = 0, no_look_until_ns_ = 0;  // the pool's epoch of our last offer, 0: offer again; at pushes
  std::uint32_t looks_at_pushes_ = 0;  // since the last other one
  lookout<P> lookout_;
  offer<P> offer_;
  relief<P> relief_;
  typename P::template atomic<std::uint32_t> forwarded_{0};  // 1: our request was sent on since we last looked

  own_wait* waiting_ = nullptr;  // innermost
  open_wait<P>* open_ = nullptr;  // innermost
  std::uint64_t forks_taken_ = 0;  // forks of others that came into our deque, and were not executed here yet; or more
  bool following_ = false;  // our request that is out is a follower's
  std::uint64_t waits_begun_ = 0, asked_in_ = 0;  // the second: when we sent our last follower's request
  unsigned waits_ = 0;  // one inside the other
  std::vector<request> followers_;  // requests that we keep until we have something for them
  presence<P> presence_;
  typename P::template atomic<std::uint32_t> called_{0};  // 1: the attendance knows that somebody asked (Y3)
  deque::fork_words<P> absent_words_{};  // stand for those of our thread while it is no worker; the limit is unused

  channel::mpsc<P, request> requests_;
  channel::mpsc<P, request> follows_;  // of followers; never closed
  channel::spsc<P, answer<P>> answers_;
  parker<P> parker_;
  block_cache<P> blocks_;
  typename P::thread thread_;
};

}  // namespace leat::scheduler
