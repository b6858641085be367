// The crew: what runs user-level threads and bubbles on the workers of a run. Rules T, B, Z: docs/bubbles.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "leat/bubble/entity.hpp"
#include "leat/bubble/list.hpp"
#include "leat/bubble/trace.hpp"
#include "leat/platform/shared.hpp"
#include "leat/scheduler/bodies.hpp"
#include "leat/scheduler/footing.hpp"
#include "leat/task/blocking.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/task/spawn.hpp"
#include "leat/topology/machine.hpp"

namespace leat::bubbles {

template <class P>
class crew;
template <class P>
class carrier;

/// How long a worker waits that has no memory for its carrier, before it tries again.
inline constexpr std::uint64_t retry_ns = 1'000'000;

/// How long something waits elsewhere before an idle unit takes it over (Z4).
inline constexpr std::uint64_t takes_over_after_ns = 20'000;

/// In how many parts of a slice that is over a thread's polls see whether others wait.
inline constexpr std::uint64_t looks_per_slice = 8;

/// A place for a carrier, which any worker is to take that carries nothing for the crew yet (T8). Guarded by the carriers' lock.
template <class P>
struct seat {
  static constexpr topology::unit_id any_unit = ~topology::unit_id{0};

  explicit seat(topology::unit_id u) noexcept : unit(u) {}

  const topology::unit_id unit;  ///< that it stands for; any_unit: that of whoever takes it
  carrier<P>* taken_by = nullptr;
  bool over = false;  ///< nobody is needed there any more
  std::shared_ptr<seat> next;  ///< among those that are vacant
};

/// A worker's part in a crew: it takes threads from the lists that cover its unit, and executes them one after the other.
template <class P>
class LEAT_SHARED carrier {
 public:
  using worker = scheduler::worker<P>;

  carrier(crew<P>& home, worker& me, topology::unit_id unit);
  carrier(const carrier&) = delete;
  carrier& operator=(const carrier&) = delete;
  ~carrier();

  /// The innermost one of the calling worker; or null. Never in line, as the caller may have come from another thread.
  [[gnu::noinline]] static carrier* here() noexcept {
    worker* const me = worker::current();
    carrier* const c = P::template own<innermost>().carries;
    return me != nullptr && c != nullptr && &c->me_ == me ? c : nullptr;
  }

  crew<P>& home() const noexcept { return home_; }
  topology::unit_id unit() const noexcept { return unit_; }
  const std::vector<topology::domain_id>& path() const noexcept { return path_; }  ///< from the unit's own to the root
  stack_pool<P>& stacks() noexcept { return stacks_; }
  worker& who() const noexcept { return me_; }

  /// The thread that it executes; or null.
  strand<P>* current() const noexcept { return current_; }

  /// Whether that may leave the worker now (T6).
  bool executes_thread() const noexcept { return current_ != nullptr && footing_.is_thread(); }
  bool may_switch() const noexcept { return current_ != nullptr && footing_.is_clear(); }

  /// Executes threads until the crew has none any more, or it is dismissed.
  void carry();

  /// The current thread, which may switch and lies where others find it, is left; it returns when somebody goes on with it.
  /// `next`: which has been taken to go on with; null: what the lists have.
  void leave(strand<P>* next);

  /// The current thread has ended; who goes on never comes back.
  [[noreturn]] void leave_for_good();

  /// A switch has ended here: the stack that was left is another's to use.
  void arrived() noexcept;

  /// Looks at the clock where thread `s` is in a bubble with a slice: whether to see under locks if that is over (Z3). If it is, and
  /// nobody waits, not again before a part of the slice has passed.
  bool slice_may_be_over(const strand<P>& s) noexcept;

  /// Ends when it is done with its present thread.
  void dismiss() noexcept {
    dismissed_.store(1, platform::release);  // pairs with the load in carry
    me_.notify();
  }

  /// Whether it is to end when it is done with its present thread.
  bool dismissed() const noexcept { return dismissed_.load(platform::acquire) != 0; }  // acquire: pairs with dismiss

  // For who has something to do (T5): whether it looks for something; whether it executes a thread, or a task while there is
  // none; whether that blocks its worker (T7).
  typename P::template atomic<std::uint32_t> idle{0};
  typename P::template atomic<std::uint32_t> busy{0};
  typename P::template atomic<std::uint32_t> blocks{0};

 private:
  struct innermost {
    carrier* carries;
  };
  static void at_poll(void* self) noexcept;

  struct end_of_rest;
  void rest();
  void stops_resting();
  bool takes_over();
  void switch_from(context& from, strand<P>* left, strand<P>* next, bool last);
  // Out of line: a switch between two that live is the short way.
  [[gnu::noinline]] void bury(strand<P>& ended) noexcept;
  static std::size_t describe(void* self, const void* address, std::span<char> text) noexcept;

  crew<P>& home_;
  worker& me_;
  const topology::unit_id unit_;
  std::vector<topology::domain_id> path_;
  carrier* const outer_;
  const scheduler::carried_poll outer_poll_;
  scheduler::footing<P> footing_;
  stack_pool<P> stacks_;
  context at_;
  void* const exceptions_ = context::exceptions_of_thread();  // it stays on its thread
  strand<P>* current_ = nullptr;
  strand<P>* chosen_ = nullptr;  // to be executed next, when whoever has it has left its stack
  strand<P>* left_ = nullptr;  // whose stack has just been left
  bool left_ended_ = false;
  std::uint64_t slices_seen_ns_ = 0;  // when it last saw that one was over
  typename P::template atomic<std::uint32_t> dismissed_{0};
  typename P::stack_watch watch_;
};

/// How often something happened to bubbles.
struct bubble_counts {
  std::uint64_t down = 0;  ///< a bubble went one level down
  std::uint64_t bursts = 0;
  std::uint64_t recalls = 0;  ///< its slice was over (Z3)
  std::uint64_t moves = 0;  ///< to an idle unit (Z1)
  std::uint64_t widenings = 0;  ///< for an idle unit (Z2)
};

/// It lives as long as run_threads needs it, and then as long as something that has not begun, or a bubble, knows it.
template <class P>
class crew : public std::enable_shared_from_this<crew<P>> {
 public:
  using worker = scheduler::worker<P>;
  using domain_id = topology::domain_id;

  /// \param seen  what happens to bubbles is written to it; or null
  explicit crew(topology::machine m, trace* seen = nullptr)
      : machine_(std::move(m)),
        lists_(std::make_unique<list<P>[]>(machine_.domains().size())),
        loads_(machine_.domains().size()),
        trace_(seen) {
    if (trace_ != nullptr) trace_->begin(machine_);
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew() {
    drop_vacant([](const seat<P>&) { return true; });
  }

  const topology::machine& machine() const noexcept { return machine_; }

  /// Executes `first`, and all threads that are made meanwhile, on the workers of the caller's run. `first` has no handle.
  /// Throws std::bad_alloc or std::system_error if nothing has begun; `first` is discarded then.
  void run(strand<P>& first, worker& me);

  /// What a thread without handle or bubble has let out, if it has: the first is kept.
  void keep(std::exception_ptr failure) noexcept;
  /// The one that was kept.
  std::exception_ptr take_failure() noexcept { return std::exchange(failure_, nullptr); }

  /// Whether the caller is executed by one of the crew's carriers, so that the crew exists at least until it returns.
  bool carries_here() const noexcept {
    const carrier<P>* const c = carrier<P>::here();
    return c != nullptr && &c->home() == this;
  }

  // -- threads

  /// There is one more, which is not released yet; its number.
  std::uint64_t hire() noexcept { return hired_.fetch_add(1, platform::relaxed); }  // relaxed: a count
  void count_out() noexcept;

  /// A thread is made held.
  void hold(strand<P>& s) noexcept;
  /// Whether a thread that was made held, and is its handle's alone to destroy, has not begun. It is in no bubble then, and not
  /// counted any more.
  bool take_back(strand<P>& s) noexcept;
  /// How many threads there are that are held, and not released. Exact while no thread is made, woken or destroyed.
  std::uint64_t unbegun() const noexcept { return unbegun_.load(platform::relaxed); }  // relaxed: a count

  /// A thread that was made goes to the root's list.
  void release(strand<P>& s);

  /// The current thread of a carrier is about to block, or does not after all: for its bubble (B5).
  void stops(strand<P>& s) noexcept;
  void goes_on(strand<P>& s) noexcept;

  /// A thread that has stopped, or that yields and is the caller's, is put where others find it. Any thread.
  void put(strand<P>& s, typename strand<P>::phase was);

  /// The same for a thread that has stopped, by whoever ends its wait.
  void put_back(strand<P>& s);

  /// The same for the first of several waiters, which is a thread of the crew, and all after it that belong on the same list. They
  /// are taken from `told`.
  void put_back_first(waiter<P>*& told);

  /// The thread that `c` executes lets others of its priority or a higher one go first, if there are any.
  void yield(carrier<P>& c);

  /// Z3: the thread that `c` executes polls.
  void polls(carrier<P>& c);

  /// The thread that is executed has ended: of the calls this is the last.
  void ends(strand<P>& s) noexcept;

  /// T1, T2: the thread that `c` is to execute next; null if nothing of priority `least` or more is in reach.
  strand<P>* look_up(carrier<P>& c, std::int32_t least = INT32_MIN);
  found peek(const carrier<P>& c) const noexcept {
    return best_of(c.path().size(), [&](std::size_t place) { return lists_[c.path()[place]].peek(); });
  }

  // -- bubbles: crew_bubbles.hpp, crew_members.hpp

  /// The number of a bubble that is made.
  std::uint32_t number_bubble() noexcept { return bubbles_.fetch_add(1, platform::relaxed); }  // relaxed: a count
  void insert(film<P>& into, strand<P>& s);
  void insert(film<P>& into, film<P>& b);
  void wake(film<P>& b);
  /// Whether nothing is to be waited for: it is joined then. Else `w` is told, if it is one.
  bool join(film<P>& b, waiter<P>* w);
  /// Whether it may be destroyed. What has not begun in it is discarded, or its handle's again.
  bool discard(film<P>& b) noexcept;
  std::exception_ptr take_failure(film<P>& b) noexcept;
  bubble_counts counts() noexcept {
    const holding<P> all(lock_);
    return counts_;
  }

  /// Z1, Z2: takes something from elsewhere into the reach of `c`, which has nothing, or only looks whether there is
  /// something. Whether there was.
  bool rebalance(carrier<P>& c, bool takes);

  // -- carriers

  bool over() const noexcept { return alive_.load(platform::acquire) == 0; }  // acquire: pairs with count_out
  void join_crew(carrier<P>& c);
  void leave_crew(carrier<P>& c) noexcept;
  void begins_to_rest() noexcept { resting_.fetch_add(1, platform::seq_cst); }  // T5
  void begins_to_work(carrier<P>& c);
  void ends_to_rest() noexcept { resting_.fetch_sub(1, platform::relaxed); }  // relaxed: one call more is harmless

  // -- seats: crew_seats.hpp

  /// The workers of the run are offered a seat. Throws std::bad_alloc.
  void offer(const std::shared_ptr<seat<P>>& s);
  /// Nobody is needed there any more: who has taken it is dismissed.
  void clear(seat<P>& s) noexcept;
  /// T8: offers a vacant seat again, if there is one and nobody rests. For who executes a thread; two loads.
  void fill_seats() noexcept {
    // relaxed, both: who looks too early looks again.
    if (vacancies_.load(platform::relaxed) != 0 && resting_.load(platform::relaxed) == 0) [[unlikely]]
      offer_vacant();
  }

 private:
  friend class carrier<P>;
  using thread_phase = typename strand<P>::phase;
  using bubble_phase = typename film<P>::phase;

  void begins(const char* what, std::size_t threads, std::uint64_t held);

  void carry_first(strand<P>*& first, worker& me);
  void sit(const std::shared_ptr<seat<P>>& s);
  bool carry_on_when_it_can(seat<P>& s);
  bool carry_on(seat<P>& s);
  bool make_vacant(const std::shared_ptr<seat<P>>& s) noexcept;
  template <class Unwanted>
  void drop_vacant(Unwanted unwanted) noexcept;
  [[gnu::noinline, gnu::cold]] void offer_vacant() noexcept;
  strand<P>* take_first(list<P>& l, std::int32_t least);
  [[gnu::flatten]] strand<P>* exchange(strand<P>& s, domain_id area);  // what most switches call
  std::size_t announce(domain_id area, std::size_t count = 1);
  void announce_member(domain_id area, std::size_t count = 1) {
    const std::size_t told = announce(area, count);
    if (told < count && area != topology::root_domain)
      announce(topology::root_domain, count - told);  // who may take over a part (Z)
  }
  void announce_to_all();
  void push_or_hold(strand<P>& s, list<P>& l) noexcept;
  void taken(strand<P>& s) noexcept {
    s.now = thread_phase::running;
    if (s.holder != nullptr) ++s.holder->running;
  }
  void check_slices(strand<P>& s);

  // Under lock_.
  void tell(incident what, const film<P>& b, domain_id at, std::uint32_t other = trace_event::nobody) noexcept {
    if (trace_ == nullptr) return;
    trace_->add({P::now_ns(), b.number, other, at, static_cast<std::uint32_t>(b.threads), what});
  }
  void deal_with_bubble(carrier<P>& c);
  void burst(film<P>& b, domain_id at);
  void put_on(film<P>& b, domain_id to);
  void recall(film<P>& b);
  void close_if_back(film<P>& b);
  void widen(film<P>& b, domain_id to);
  bool all_back(const film<P>& b) const noexcept;
  std::uint32_t burst_depth_of(const film<P>& b, const carrier<P>& c) const;
  void see(film<P>& b, burst_seen& seen) noexcept;
  domain_id least_loaded(const film<P>& b, domain_id at, domain_id mine) noexcept;
  bool has_free(domain_id in) noexcept;
  bool rescue(carrier<P>& c, bool takes);
  std::size_t free_carriers(domain_id in) noexcept;
  void sink(film<P>& b, domain_id to) noexcept;
  void rise(film<P>& b, domain_id to) noexcept;
  void begin_at(film<P>& b, domain_id from) noexcept;
  bool deserted(domain_id area) noexcept;
  void link_burst(film<P>& b) noexcept;
  void unlink_burst(film<P>& b) noexcept;
  void finish(film<P>& b) noexcept;
  void disband(film<P>& b, entity<P>*& dropped, waiter<P>*& told) noexcept;
  bool gives_back(strand<P>& s, waiter<P>*& told) noexcept;
  void count_fewer(film<P>* in, std::size_t threads, waiter<P>*& told) noexcept;
  void unlist(film<P>& b) noexcept;
  domain_id up_to(domain_id d, topology::unit_id u) const noexcept {
    while (!machine_[d].has(u)) d = machine_[d].parent;
    return d;
  }

  class visit;

  // Both locks, high-level lists first: domains are numbered from the root on, depth first. (Paper, section 4.)
  class both_lists {
   public:
    both_lists(crew& c, domain_id a, domain_id b) noexcept
        : first_(c.lists_[std::min(a, b)]), second_(c.lists_[std::max(a, b)]) {
      first_.lock().lock();
      if (&second_ != &first_) second_.lock().lock();
    }
    both_lists(const both_lists&) = delete;
    both_lists& operator=(const both_lists&) = delete;
    ~both_lists() {
      if (&second_ != &first_) second_.lock().unlock();
      first_.lock().unlock();
    }

   private:
    list<P>& first_;
    list<P>& second_;
  };

  const topology::machine machine_;
  const std::unique_ptr<list<P>[]> lists_;
  typename P::template atomic<std::uint64_t> alive_{0};  // threads that have been released, and have not ended
  typename P::template atomic<std::uint64_t> unbegun_{0};
  typename P::template atomic<std::uint64_t> hired_{0};
  typename P::template atomic<std::uint32_t> bubbles_{0};
  typename P::template atomic<std::uint32_t> resting_{0};
  typename P::template atomic<std::uint32_t> visitors_{0};  // other threads that put something on a list

  // Order of locks: the gate of a thread; lock_; the lists', both_lists; carriers_lock_.
  spin_lock<P> lock_;  // bubbles
  std::vector<double> loads_;  // of each domain: the work that has gone down into it, and is not done
  film<P>* burst_ = nullptr;  // those that have burst
  bubble_counts counts_;
  trace* trace_;  // null when run has returned
  std::exception_ptr failure_;
  spin_lock<P> carriers_lock_;
  std::vector<carrier<P>*> carriers_;  // in the order of their units
  std::size_t told_ = 0;  // the place among them of who is told next (T5)
  std::shared_ptr<seat<P>> vacant_;  // under carriers_lock_; the first of them
  typename P::template atomic<std::uint32_t> vacancies_{0};  // how many; written under carriers_lock_
  typename P::template atomic<std::uint32_t> offers_{0};  // tasks of the run that bring somebody to a seat
  worker* runner_ = nullptr;  // the worker that waits for the crew's end
};

}  // namespace leat::bubbles

#include "leat/bubble/carrier.hpp"
#include "leat/bubble/crew_bubbles.hpp"
#include "leat/bubble/crew_loads.hpp"
#include "leat/bubble/crew_members.hpp"
#include "leat/bubble/crew_seats.hpp"
#include "leat/bubble/crew_threads.hpp"
