// The tasks of a rank that has several workers: where they lie, and whether there are any. docs/internals/cluster.md, rules SEAT.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "leat/cluster/arena.hpp"
#include "leat/cluster/open_tasks.hpp"
#include "leat/cluster/work.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// - SEAT-1 Each worker has a *seat*, with tasks of its own and tasks that are open to all workers of the rank. A worker
///   without tasks takes half of what is open at another seat.
/// - SEAT-2 At a poll a worker that has none open opens half of what it has.
/// - SEAT-3 A worker is *at work* from before it takes tasks until it has none, of its own or open. So while a task of the
///   rank waits or is expanded, a worker is at work, or the task has come from another rank and still lies where it landed.
/// - SEAT-4 Workers that are told to stop leave their tasks at their seats. When no worker is at work, all tasks are worker 0's.
///
/// Thread safety: calls that take a seat are for its worker. All others, but `stop` and `stops`, are for the worker that has the
/// turn (SEAT-5).
template <class P, class Task>
class rank_tasks final : public work {
 public:
  /// Its worker alone uses what is not open, and worker 0 when no worker is at work.
  struct alignas(platform::cache_line) seat {
    explicit seat(typename open_tasks<P, Task>::rows_with_some& with_some) : open(with_some) {}

    arena<Task> own;
    open_tasks<P, Task> open;
    bool works = false;  ///< is counted as at work
    std::size_t last_victim = 0;
    typename P::template atomic<std::uint64_t> takes{0};  ///< times that it has taken tasks of another seat
  };

  rank_tasks(const sharing& by, std::uint32_t workers)
      : opens_from_(std::max<std::size_t>(by.threshold, 2)), moving_(by) {
    for (std::uint32_t i = 0; i != workers; ++i) seats_.push_back(std::make_unique<seat>(with_some_));
  }

  rank_tasks(const rank_tasks&) = delete;
  rank_tasks& operator=(const rank_tasks&) = delete;

  /// Lives as long as this object.
  seat& at(std::uint32_t worker) noexcept { return *seats_[worker]; }

  /// Adds a task to this seat.
  void add(seat& s, Task task) {
    begin_work(s);
    s.own.push(std::move(task));
  }

  /// SEAT-1, SEAT-3, SEAT-9: looks for tasks for this seat, which has none of its own. Returns whether there are some now; not when all
  /// stop. It only reads when there is nothing open. It waits for no worker but one that is moving tasks from this seat.
  bool find(seat& s) {
    // The count is exact for the row of this seat. acquire: pairs with the release in open_tasks by the worker that took
    // the last open task. That worker was at work before it took the task, so busy() sees it when this worker ends (SEAT-3).
    if (with_some_.load(platform::acquire) == 0) {
      end_work(s);
      return false;
    }
    begin_work(s);
    if (!stops() && (take_own(s) || take_of_others(s))) return true;
    end_work(s);
    return false;
  }

  /// SEAT-2. Returns whether some are open here.
  bool open_some(seat& s) {
    if (s.open.size() != 0) return true;
    return s.own.size() >= opens_from_ && s.open.add_half_of(s.own);
  }

  /// SEAT-4: the worker takes no further task from this seat.
  void end_work(seat& s) noexcept {
    if (std::exchange(s.works, false)) at_work_.fetch_sub(1, platform::seq_cst);  // SEAT-3; pairs with busy
  }

  /// SEAT-4. By any worker.
  void stop() noexcept { stopped_.store(1, platform::seq_cst); }  // pairs with begin_work and stops in find
  bool stops() const noexcept { return stopped_.load(platform::seq_cst) != 0; }
  void go_on() noexcept {
    rested_ = false;
    stopped_.store(0, platform::release);  // pairs with stops: a worker sees what worker 0 has left at its seat
  }

  /// SEAT-4: has all stop. Returns whether they have, and then all tasks are at worker 0's seat.
  bool all_rest() {
    seat& first = at(0);
    stop();
    if (at_work_.load(platform::seq_cst) != (first.works ? 1 : 0)) return false;
    if (!std::exchange(rested_, true)) {
      for (const auto& s : seats_) {
        // The worker of an empty one may still read how many it has.
        if (s.get() != &first && s->own.size() != 0) s->own.move_all(first.own);
        s->open.take_all(first.own);
      }
    }
    gather();
    return true;
  }

  /// Appends all tasks to `out`, also what has landed since; they stay. After all_rest.
  void pack_all(std::vector<std::byte>& out) {
    gather();
    at(0).own.pack_all(out);
  }

  /// SEAT-3: a `false` is exact, and no task comes then but from another rank, or by `add`. A `true` may be of a worker that is
  /// looking and finds none. What has landed is read first: a worker that takes it from there is at work before.
  bool busy() const noexcept override { return landed_.size() != 0 || at_work_.load(platform::seq_cst) != 0; }

  /// How many workers are at work. A hint.
  std::uint32_t at_work() const noexcept { return at_work_.load(platform::relaxed); }  // relaxed: a hint

  /// How many tasks are open. A hint.
  std::size_t open() const noexcept {
    std::size_t sum = landed_.size();
    for (const auto& s : seats_) sum += s->open.size();
    return sum;
  }

  /// SNAPSHOT-1
  void hold(bool held) noexcept { held_ = held; }
  bool held() const noexcept { return held_; }
  const moved_tasks& moved() const noexcept { return moving_.moved(); }

  /// What is open may be given to other ranks, but for the last task that has landed (SEAT-8).
  std::size_t shared() const noexcept override { return held_ ? 0 : open() - (landed_.size() == 1 ? 1 : 0); }

  /// Half of what has landed, and of what is open at each seat (SEAT-8).
  std::size_t give(std::vector<std::byte>& out) override {
    if (held_) return 0;
    if (landed_.size() > 1) landed_.take_half(moving_);
    for (const auto& s : seats_) s->open.take_half(moving_);
    moving_.share_all();
    const std::size_t given = moving_.give(out);
    land();
    return given;
  }

  std::size_t take(std::span<const std::byte> tasks) override {
    const std::size_t taken = moving_.take(tasks);
    land();
    return taken;
  }

 private:
  // seq_cst: SEAT-3, SEAT-4. A worker is at work before it takes tasks, and before it reads whether all stop.
  void begin_work(seat& s) noexcept {
    if (!std::exchange(s.works, true)) at_work_.fetch_add(1, platform::seq_cst);
  }

  // When all rest.
  void gather() {
    seat& first = at(0);
    landed_.take_all(first.own);
    if (first.own.size() != 0) begin_work(first);
    else end_work(first);
  }

  // All of them: a worker that has tasks open is at work (SEAT-3).
  bool take_own(seat& s) {
    while (s.open.size() != 0) {
      if (s.open.take_all(s.own)) return true;
      P::yield();
    }
    return false;
  }

  bool take_of_others(seat& s) {
    if (landed_.take_half(s.own)) return true;
    for (std::size_t i = 0; i != seats_.size(); ++i) {
      s.last_victim = (s.last_victim + 1) % seats_.size();
      if (!seats_[s.last_victim]->open.take_half(s.own)) continue;
      s.takes.store(s.takes.load(platform::relaxed) + 1, platform::relaxed);  // relaxed: only this worker writes it
      return true;
    }
    return false;
  }

  // Waits only while a worker takes tasks from there.
  void land() {
    while (moving_.size() != 0 && !landed_.add_all_of(moving_)) P::yield();
  }

  const std::size_t opens_from_;
  std::vector<std::unique_ptr<seat>> seats_;

  // Of the worker that has the turn.
  arena<Task> moving_;  // from seats to other ranks, or from there; empty between two calls
  bool held_ = false;
  bool rested_ = false;  // since all were told to stop

  // SEAT-9. A line of its own: workers without tasks read it again and again. Seats refer to it.
  alignas(platform::cache_line) typename open_tasks<P, Task>::rows_with_some with_some_{0};
  open_tasks<P, Task> landed_{with_some_};  // from other ranks
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> at_work_{0};
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> stopped_{0};
};

}  // namespace leat::inline LEAT_ABI::ranks
