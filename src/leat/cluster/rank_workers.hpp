// The other workers of a rank. Each works on a part of the rank's tasks, divides it while others have nothing, and
// gives back what it has found. docs/guide/cluster.md, rules PART.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "leat/cluster/arena.hpp"
#include "leat/cluster/counters.hpp"
#include "leat/cluster/poll_clock.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/thrown.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/task/spawn.hpp"
#include "leat/task/task_group.hpp"

namespace leat::ranks {

/// Whether ranks may have several workers: not where a process has one thread.
template <class P>
inline constexpr bool may_have_workers = !requires { P::one_thread; };

/// Calls f in a call of a team as a task would: no barrier in it is the root's.
template <class P, class F>
decltype(auto) as_task(F f) {
  return scheduler::worker<P>::current()->runner.call_as_task(f);
}

/// Of a rank of one worker: there are no others.
struct no_rank_workers {
  static constexpr bool exists = false;
};

/// Worker 0 of the rank makes it, in a call of its team, and alone calls what is public.
///
/// - PART-1 A *part* is some tasks, with what they came to so far. It is one worker's at a time: worker 0 lends half of
///   its tasks as a task of leat's, and so does each worker of a part, as long as there are fewer parts than other
///   workers. Leat's scheduler brings them to idle workers.
/// - PART-2 A worker that has nothing left, or is told to stop, gives its part back to worker 0, with the tasks that
///   wait there. Only then is it no longer out; so when none is out, all that was found and left is worker 0's once it
///   has collected. So does a worker that comes to a part inside a task: worker 0, and one that expands a task that
///   waits for any other.
/// - PART-3 When worker 0 has nothing it takes back what it has lent and no worker has come for. If that is nothing, it
///   asks, and one of those that have several tasks gives it half of them.
/// - PART-8 Worker 0 asks, too, when it has too few tasks to share as many with other ranks as its rank has workers.
template <class P, class Task, class Result, class Expand, class Combine>
class rank_workers {
 public:
  static constexpr bool exists = true;

  /// \param others  workers of the rank without worker 0
  rank_workers(Expand& expand, Combine& combine, const Result& identity, std::uint32_t others)
      : expand_(expand),
        combine_(combine),
        identity_(identity),
        others_(others),
        worker_0_(scheduler::worker<P>::current()) {}

  rank_workers(const rank_workers&) = delete;
  rank_workers& operator=(const rank_workers&) = delete;

  /// Waits for those that work, which stop when their task ends. Also when a run failed: parts refer to this object.
  ~rank_workers() {
    stop();
    group_.wait();  // throws nothing: what a task throws is given back (PART-2)
    drop();
  }

  /// Whether parts are out. If not, collect() gets all that was given back.
  /// Only worker 0's own parts add to the count while it is zero, so a `false` stays true until worker 0 lends.
  bool busy() const noexcept {
    return out_.load(platform::acquire) != 0;
  }  // acquire: pairs with the release in work and reclaim

  /// Whether another worker is without a part, as far as is known.
  bool has_room() const noexcept {
    // relaxed, both: hints.
    return out_.load(platform::relaxed) < others_ && stopped_.load(platform::relaxed) == 0;
  }

  /// RMA-4: about how many tasks wait in the parts that are out. A hint, as of each worker's last poll.
  std::size_t waiting() const noexcept {
    return waiting_.load(platform::relaxed);
  }  // relaxed: nothing is read because of it

  /// The workers of the rank, worker 0 among them.
  std::uint32_t count() const noexcept { return others_ + 1; }

  /// PART-1: lends half of these tasks, of which there must be two. An allocation, and a task of leat's. The count
  /// rises before the task exists, as the worker that takes it may give the part back, and lower the count, before
  /// this returns.
  /// \throws std::bad_alloc
  void lend(arena<Task>& from) {
    auto lent = std::make_unique<part>(identity_);
    from.move_half(lent->tasks);
    tell(*lent, lent->tasks.size());
    out_.fetch_add(1, platform::relaxed);  // relaxed: ordered by the worker that takes it off again
    try {
      group_.spawn_told(lent_part{this, lent.get()});
    } catch (...) {
      out_.fetch_sub(1, platform::relaxed);
      tell(*lent, 0);
      lent->tasks.move_all(from);
      throw;
    }
    lent.release();
  }

  /// Takes the newest part back that worker 0 has lent and no worker has come for, if there is one: collect() has it
  /// then.
  void reclaim() noexcept {
    const auto any = [](const lent_part&) { return true; };
    const auto mine = group_.template take_back<lent_part>(*scheduler::worker<P>::current(), any, 0);
    if (!mine) return;
    give_back(std::unique_ptr<part>(mine->what));
    out_.fetch_sub(1, platform::release);  // as in work
  }

  /// PART-3, PART-8. From now on until tasks have come.
  void ask() noexcept {
    if (asked_.load(platform::relaxed) == 0) asked_.store(1, platform::relaxed);  // relaxed, both: a hint
  }

  /// PART-2: has all parts given back soon; or ends that.
  void stop() noexcept { stopped_.store(1, platform::relaxed); }  // relaxed: out_ tells when they have been
  void go_on() noexcept { stopped_.store(0, platform::relaxed); }

  /// Answers workers that have nothing to do. To be called as often as a rank polls.
  void poll() noexcept { task::poll<P>(); }

  /// Takes what was given back: tasks and results.
  /// \throws what a task threw, or combining does
  void collect(arena<Task>& tasks, Result& result, rank_counters& counters) {
    take_back();
    while (taken_ != nullptr) {
      const std::unique_ptr<part> p(std::exchange(taken_, taken_->next));
      counters[rank_event::tasks] += p->expanded;
      ++counters[rank_event::parts];
      if (p->thrown) std::rethrow_exception(p->thrown);
      p->tasks.move_all(tasks);
      result = combine_(std::move(result), std::move(p->found));
    }
  }

  /// Drops what was given back, by a run that failed or ends. Parts that are still out come back later.
  void drop() noexcept {
    take_back();
    while (taken_ != nullptr) {
      const std::unique_ptr<part> p(std::exchange(taken_, taken_->next));
    }
  }

 private:
  // Between two polls of a worker of a part. A worker that has nothing asks one worker after the other, and waits for
  // each.
  static constexpr std::uint64_t poll_ns = 5'000;

  // Tasks between two readings of the clock.
  static constexpr std::uint32_t unwatched_max = 64;

  // Owned by one worker at a time: the pointer to it is in one deque, in one frame of work, or in the list of those
  // given back. So nothing in it is atomic.
  struct part {
    explicit part(const Result& identity) : found(identity) {}

    arena<Task> tasks;
    Result found;
    std::exception_ptr thrown;
    std::uint64_t expanded = 0;
    std::size_t told = 0;  // of `tasks`, how many are counted in waiting_
    part* next = nullptr;  // of those given back
  };

  // A part on its way to a worker, which works on it even if its group has been cancelled (it never is).
  struct lent_part {
    rank_workers* of;
    part* what;
    void operator()(bool) const { of->work(what); }
  };

  // What a thread does. A task that waits for any other may be handed a part on top of the one in hand. It gives that
  // back at once: to expand it there would keep what waits beneath for as long as the part takes.
  struct at_work {
    typename P::template atomic<std::uint32_t> inside;  // 1: it works on a part
  };

  void work(part* lent) noexcept {
    std::unique_ptr<part> mine(lent);
    // relaxed, all: of one thread, but for user-level threads that carry this to another.
    auto& inside = P::template own<at_work>().inside;
    if (scheduler::worker<P>::current() != worker_0_ && inside.load(platform::relaxed) == 0) {
      inside.store(1, platform::relaxed);
      expand_all(*mine);
      inside.store(0, platform::relaxed);
    }
    // In this order: when worker 0 sees that no part is out, all of them are in the list for it to collect. The other
    // way round it could take the run for done with a part missing.
    give_back(std::move(mine));
    out_.fetch_sub(1, platform::release);  // PART-2; pairs with busy
  }

  // Until the part is empty, or all are to stop. What a task throws goes back with the part, and has the others stop,
  // as the run fails when worker 0 collects it. The task that threw is gone, and those after it are dropped.
  void expand_all(part& mine) noexcept {
    try {
      poll_clock clock(poll_ns);
      clock.begin(P::now_ns());
      // relaxed: a hint, like asked_.
      while (mine.tasks.busy() && stopped_.load(platform::relaxed) == 0) {
        const std::uint32_t done = expand_some(mine, clock);
        share(mine);
        tell(mine, mine.tasks.size());
        clock.polled(P::now_ns(), done);
      }
    } catch (...) {
      mine.thrown = platform::thrown();
      stop();
    }
  }

  // Returns how many. It stops soon when it is told to, or when tasks take longer than those before.
  std::uint32_t expand_some(part& mine, const poll_clock& clock) {
    const auto emit = [&mine](Task task) { mine.tasks.push(std::move(task)); };
    const std::uint32_t most = clock.tasks();
    std::uint32_t done = 0;
    for (; done != most && mine.tasks.busy(); ++done) {
      if (stopped_.load(platform::relaxed) != 0) break;  // relaxed: as above
      if (done % unwatched_max == unwatched_max - 1 && clock.late(P::now_ns())) break;
      const Task task = mine.tasks.pop();
      ++mine.expanded;
      mine.found = combine_(std::move(mine.found), expand_(task, emit));
    }
    return done;
  }

  // relaxed, all that is read of asked_: the worker that takes the one by the exchange gives.
  void share(part& mine) {
    if (mine.tasks.size() >= 2) {
      if (asked_.load(platform::relaxed) != 0 && asked_.exchange(0, platform::relaxed) != 0) {
        auto given = std::make_unique<part>(identity_);
        mine.tasks.move_half(given->tasks);
        give_back(std::move(given));
      } else if (has_room()) {
        lend(mine.tasks);
      }
    }
    task::poll<P>();
  }

  // relaxed: a hint. Sizes that fall wrap around, and the sum is right again.
  void tell(part& p, std::size_t tasks) noexcept {
    if (tasks != p.told) waiting_.fetch_add(tasks - p.told, platform::relaxed);
    p.told = tasks;
  }

  // A stack to which all push, and from which worker 0 takes all at once. A push only needs that the first part is
  // still the first, be it another one at the same address, so there are no tags.
  void give_back(std::unique_ptr<part> p) noexcept {
    tell(*p, 0);
    p->next = back_.load(platform::relaxed);  // relaxed: only compared
    // release: pairs with the exchange in take_back; later ones are read-modify-writes, which carry it on.
    while (!back_.compare_exchange_weak(p->next, p.get(), platform::release, platform::relaxed)) {
    }
    p.release();
  }

  void take_back() noexcept {
    if (taken_ != nullptr || back_.load(platform::relaxed) == nullptr) return;  // relaxed: a hint, but after busy()
    taken_ = back_.exchange(nullptr, platform::acquire);  // pairs with give_back
  }

  Expand& expand_;
  Combine& combine_;
  const Result& identity_;
  const std::uint32_t others_;
  const scheduler::worker<P>* const worker_0_;
  part* taken_ = nullptr;  // of what was given back, what has not been collected
  // The words that other workers write lie apart from what all read and none writes.
  alignas(platform::cache_line) typename P::template atomic<part*> back_{nullptr};
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> out_{0};  // parts
  alignas(platform::cache_line) typename P::template atomic<std::size_t> waiting_{0};
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> asked_{0};
  typename P::template atomic<std::uint32_t> stopped_{0};
  task::task_group<P> group_;
};

}  // namespace leat::ranks
