// The workers of a rank that has several. docs/internals/cluster.md, rules SEAT.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "leat/cluster/arena.hpp"
#include "leat/cluster/counters.hpp"
#include "leat/cluster/poll_clock.hpp"
#include "leat/cluster/rank_parts.hpp"
#include "leat/cluster/rank_tasks.hpp"
#include "leat/cluster/turn.hpp"
#include "leat/cluster/work.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/thrown.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/task/spawn.hpp"
#include "leat/task/task_group.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// Whether ranks may have several workers: not where a process has one thread.
template <class P>
inline constexpr bool may_have_workers = !requires { P::one_thread; };

/// Calls f in a call of a team as a task would: no barrier in it is the root's.
template <class P, class F>
decltype(auto) as_task(F f) {
  return scheduler::worker<P>::current()->runner.call_as_task(f);
}

/// Worker 0 of the rank makes it, in a call of its team, and alone calls what is public, unless it says otherwise.
///
/// - SEAT-5 One worker at a time talks with other ranks: that which has the *turn*. Worker 0 has it between tasks. While it
///   expands, another that does so takes the turn when a poll is due.
/// - SEAT-6 The other workers come by *offers*, tasks of leat's. A worker with open tasks spawns an offer while fewer are out
///   than there are other workers. The worker that accepts takes a free seat, and leaves it after a while without tasks.
template <class P, class Task, class Result, class Expand, class Combine>
class rank_workers {
 public:
  rank_workers(const rank_parts& with, const Result& identity, Expand& expand, Combine& combine)
      : expand_(expand),
        combine_(combine),
        identity_(identity),
        any_speaks_(with.any_speaks && with.ranks != 1),
        speaks_every_ns_(with.poll_ns),
        others_(with.workers - 1),
        worker_0_(scheduler::worker<P>::current()),
        tasks_(with.shares, with.workers) {
    for (std::uint32_t i = 0; i != with.workers; ++i) seats_.push_back(std::make_unique<seat>(tasks_.at(i), identity));
  }

  rank_workers(const rank_workers&) = delete;
  rank_workers& operator=(const rank_workers&) = delete;

  /// Waits for those that work, which stop when their task ends. Also when a run failed: they refer to this object.
  ~rank_workers() {
    tasks_.stop();
    group_.wait();  // throws nothing: what a task throws stays at its seat
  }

  /// SEAT-5: what a worker but the first does with the turn. It may throw: the run fails then.
  void speak_with(std::function<void()> speak) { speak_ = std::move(speak); }

  /// SEAT-5: takes the turn, unless another worker has it. Never waits. By any worker.
  bool begin_turn() noexcept {
    // relaxed: a hint. acquire: pairs with end_turn.
    return turn_.load(platform::relaxed) == 0 && turn_.exchange(1, platform::acquire) == 0;
  }
  void end_turn() noexcept {
    spoke_ns_.store(P::now_ns(), platform::relaxed);  // relaxed: a hint
    turn_.store(0, platform::release);  // pairs with begin_turn
  }

  /// What engines see: for the worker that has the turn.
  rank_tasks<P, Task>& tasks() noexcept { return tasks_; }

  /// Whether the rank asks ahead at each poll.
  static constexpr bool asks_at_polls = true;

  /// RMA-4: whether a worker has nothing to do, or no more tasks wait than all expand between two polls, as far as is known.
  /// About half of those that wait are open (SEAT-2). By any worker.
  bool runs_low(const poll_clock&) const noexcept {
    const std::uint32_t workers = others_ + 1;
    if (tasks_.at_work() < workers) return true;
    return 2 * tasks_.open() <= std::size_t{per_poll_.load(platform::relaxed)} * workers;  // relaxed: a number alone
  }

  /// Adds a task for worker 0.
  void add(Task task) { tasks_.add(first().tasks, std::move(task)); }

  /// Whether worker 0 has a task, after it has looked for some. Not while all stop.
  bool has_some() { return !tasks_.stops() && (first().tasks.own.size() != 0 || tasks_.find(first().tasks)); }

  /// Expands as many tasks of worker 0 as the clock says, or fewer if there are fewer, or they take longer than those before.
  /// Returns how many.
  template <class TookBack>
  std::uint32_t expand(const poll_clock& clock, rank_counters&, const TookBack&) {
    per_poll_.store(clock.tasks(), platform::relaxed);
    return expand_some(first(), clock, clock.unwatched(readings_of_first));
  }

  /// SEAT-2, for worker 0.
  void share(rank_counters&) { open_some(first()); }

  /// Answers workers of leat's that have nothing to do. To be called as often as a rank polls.
  void answer_idle() noexcept { task::poll<P>(); }

  /// SEAT-4: has all others stop. Returns whether they have, and then all tasks are worker 0's.
  bool all_rest() {
    while (reclaim()) {
    }
    return tasks_.all_rest();
  }
  void go_on() noexcept {
    if (tasks_.stops() && threw_.load(platform::relaxed) == 0) tasks_.go_on();  // relaxed: collect looks again
  }

  /// \throws what a task of another worker threw, or its turn did
  void check() {
    if (threw_.load(platform::acquire) == 2) std::rethrow_exception(thrown_);  // pairs with the release in work_at
  }

  /// Adds what all have found. When the rank is not busy, or all rest: so what a worker threw before is seen.
  /// \throws what `check` and combining do
  void collect(Result& result, rank_counters& counters) {
    check();
    count_tasks(counters);
    for (const auto& s : seats_) {
      if (std::exchange(s->found_some, false)) {
        result = combine_(std::move(result), std::exchange(s->found, identity_));
      }
    }
  }

  /// Counts what all workers have done until their last poll.
  void count_tasks(rank_counters& counters) noexcept {
    std::uint64_t expanded = 0;
    std::uint64_t takes = 0;
    for (const auto& s : seats_) {
      expanded += s->expanded.load(platform::relaxed);  // relaxed, both: a number alone
      takes += s->tasks.takes.load(platform::relaxed);
    }
    counters[rank_event::tasks] += expanded - std::exchange(counted_, expanded);
    counters[rank_event::open_takes] += takes - std::exchange(counted_takes_, takes);
  }

  /// The run has failed.
  void drop() noexcept { tasks_.stop(); }

 private:
  using tasks_type = rank_tasks<P, Task>;

  // Between two polls of a worker but the first.
  static constexpr std::uint64_t poll_ns = 5'000;

  // How long such a worker looks for tasks before it goes back to leat's scheduler, which may have others for it.
  static constexpr std::uint64_t idle_ns_max = 50'000;

  // SEAT-9: between two looks it yields so often at most. The number doubles from one.
  static constexpr std::uint32_t yields_max = 8;

  // Readings of the clock between two polls.
  static constexpr std::uint32_t readings_of_first = 8;
  static constexpr std::uint32_t readings_of_others = 2;

  // Its worker alone uses what is not atomic, and worker 0 when no worker is at work.
  struct alignas(platform::cache_line) seat {
    seat(typename tasks_type::seat& at, const Result& identity) : tasks(at), found(identity) {}

    typename tasks_type::seat& tasks;
    Result found;
    bool found_some = false;  // since it was collected
    typename P::template atomic<std::uint64_t> expanded{0};
    typename P::template atomic<std::uint32_t> taken{0};  // has a worker
  };

  // Asks a worker of leat's to take a seat.
  struct offer {
    rank_workers* to;
    void operator()(bool) const { to->accept(); }
  };

  // What a thread does. A worker that waits for any task may be handed an offer, in a task of a seat or in one that it has of
  // another worker. It declines: to work there would keep what waits beneath.
  struct at_seat {
    typename P::template atomic<std::uint32_t> inside;  // 1: it has a seat
  };

  seat& first() noexcept { return *seats_[0]; }

  void accept() noexcept {
    // relaxed, all: of one thread, but for user-level threads that carry this to another.
    auto& inside = P::template own<at_seat>().inside;
    const auto* const me = scheduler::worker<P>::current();
    const bool in_a_wait = me->ancestry.open() != nullptr;
    if (me != worker_0_ && !in_a_wait && inside.load(platform::relaxed) == 0) {
      inside.store(1, platform::relaxed);
      if (seat* const s = free_seat()) {
        work_at(*s);
        s->taken.store(0, platform::release);  // pairs with free_seat
      }
      inside.store(0, platform::relaxed);
    }
    offers_.fetch_sub(1, platform::relaxed);  // relaxed: a hint; the group knows when all have left
  }

  seat* free_seat() noexcept {
    for (std::uint32_t i = 1; i <= others_; ++i) {
      auto& taken = seats_[i]->taken;
      // relaxed: a hint. acquire: pairs with the release in accept.
      if (taken.load(platform::relaxed) == 0 && taken.exchange(1, platform::acquire) == 0) return seats_[i].get();
    }
    return nullptr;
  }

  // SEAT-6: until it has found nothing for a while, or all are to stop. What a task throws stays here, and has all stop: the
  // run fails when worker 0 sees it.
  void work_at(seat& s) noexcept {
    try {
      poll_clock clock(poll_ns);
      std::uint64_t worked_ns = P::now_ns();
      std::uint32_t yields = 1;
      for (bool idle = true; !tasks_.stops();) {
        if (s.tasks.own.size() == 0 && !tasks_.find(s.tasks)) {
          idle = true;
          const std::uint64_t now_ns = P::now_ns();
          if (now_ns - worked_ns > idle_ns_max) break;
          speak_in_time(now_ns);
          task::poll<P>();
          for (std::uint32_t i = 0; i != yields; ++i) P::yield();
          yields = std::min(2 * yields, yields_max);
          continue;
        }
        yields = 1;
        if (std::exchange(idle, false)) clock.begin(P::now_ns());
        const std::uint32_t done = expand_some(s, clock, clock.unwatched(readings_of_others));
        open_some(s);
        task::poll<P>();
        worked_ns = P::now_ns();
        clock.polled(worked_ns, done);
        speak_in_time(worked_ns);
      }
    } catch (...) {
      std::uint32_t none = 0;
      // relaxed: the first alone is kept, and it is published below.
      if (threw_.compare_exchange_strong(none, 1, platform::relaxed, platform::relaxed)) {
        thrown_ = platform::thrown();
        threw_.store(2, platform::release);  // pairs with check
      }
      tasks_.stop();
    }
    tasks_.end_work(s.tasks);
  }

  // SEAT-5
  void speak_in_time(std::uint64_t now_ns) {
    // relaxed: a hint. Another thread's clock may be ahead, and the difference then wraps around: it speaks too soon.
    if (!any_speaks_ || now_ns - spoke_ns_.load(platform::relaxed) < speaks_every_ns_) return;
    if (const turn<rank_workers> mine(*this); mine) speak_();
  }

  std::uint32_t expand_some(seat& s, const poll_clock& clock, std::uint32_t unwatched) {
    arena<Task>& own = s.tasks.own;
    const auto emit = [&own](Task task) { own.push(std::move(task)); };
    const std::uint32_t most = clock.tasks();
    std::uint32_t done = 0;
    for (std::uint32_t reads_at = unwatched; done != most && own.size() != 0 && !tasks_.stops(); ++done) {
      if (done == reads_at) {
        if (clock.late(P::now_ns())) break;
        reads_at += unwatched;
      }
      const Task task = own.pop();
      s.found = combine_(std::move(s.found), expand_(task, emit));
    }
    if (done != 0) s.found_some = true;
    s.expanded.store(s.expanded.load(platform::relaxed) + done,
                     platform::relaxed);  // relaxed, both: only this worker writes it
    return done;
  }

  // SEAT-2, SEAT-6.
  void open_some(seat& s) {
    if (!tasks_.open_some(s.tasks) || tasks_.stops()) return;
    if (offers_.load(platform::relaxed) < others_) make_offer();  // relaxed: a hint
  }

  void make_offer() {
    offers_.fetch_add(1, platform::relaxed);  // relaxed: as above
    try {
      group_.spawn_told(offer{this});
    } catch (...) {
      offers_.fetch_sub(1, platform::relaxed);
      throw;
    }
  }

  // Takes an offer back that worker 0 has made and no worker has come for.
  bool reclaim() noexcept {
    const auto any = [](const offer&) { return true; };
    if (!group_.template take_back<offer>(*scheduler::worker<P>::current(), any, 0)) return false;
    offers_.fetch_sub(1, platform::relaxed);  // relaxed: as above
    return true;
  }

  Expand& expand_;
  Combine& combine_;
  const Result identity_;
  std::function<void()> speak_;
  const bool any_speaks_;
  const std::uint64_t speaks_every_ns_;
  const std::uint32_t others_;
  const scheduler::worker<P>* const worker_0_;
  tasks_type tasks_;
  std::vector<std::unique_ptr<seat>> seats_;
  std::uint64_t counted_ = 0;  // tasks, by worker 0
  std::uint64_t counted_takes_ = 0;
  // Each word that many write has a line of its own.
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> turn_{0};
  typename P::template atomic<std::uint64_t> spoke_ns_{0};
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> offers_{0};
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> per_poll_{1};  // tasks of worker 0
  typename P::template atomic<std::uint32_t> threw_{0};  // 1: a worker has; 2: thrown_ is there
  std::exception_ptr thrown_;
  task::task_group<P> group_;
};

}  // namespace leat::inline LEAT_ABI::ranks
