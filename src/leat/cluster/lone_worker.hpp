// The worker of a rank that has no other: an arena, and what was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "leat/cluster/arena.hpp"
#include "leat/cluster/counters.hpp"
#include "leat/cluster/poll_clock.hpp"
#include "leat/cluster/rank_parts.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// What a rank works with when it has one worker. `rank_workers` has the same calls for several. Thread safety: none.
template <class P, class Task, class Result, class Expand, class Combine>
class lone_worker {
 public:
  lone_worker(const rank_parts& with, const Result& identity, Expand& expand, Combine& combine)
      : expand_(expand), combine_(combine), identity_(identity), tasks_(with.shares), found_(identity) {}

  /// No other worker of the rank talks with other ranks.
  template <class Speak>
  void speak_with(const Speak&) noexcept {}

  /// What engines see.
  arena<Task>& tasks() noexcept { return tasks_; }

  /// The turn to talk with other ranks is always this worker's.
  bool begin_turn() noexcept { return true; }
  void end_turn() noexcept {}

  /// Adds a task.
  void add(Task task) { tasks_.push(std::move(task)); }
  bool has_some() const noexcept { return tasks_.size() != 0; }

  /// The rank has no other worker to wait for.
  static constexpr bool all_rest() noexcept { return true; }
  void go_on() noexcept {}
  void answer_idle() noexcept {}

  /// Whether it asks ahead at each poll (RMA-4). If not, when shared tasks become private.
  static constexpr bool asks_at_polls = false;

  /// RMA-4: whether no more tasks wait than are expanded between two polls.
  bool runs_low(const poll_clock& clock) const noexcept { return tasks_.size() <= clock.tasks(); }

  /// What a worker does at a poll, so that others may have some of its tasks.
  void share(rank_counters& counters) noexcept {
    if (tasks_.share()) ++counters[rank_event::released];
  }

  /// Expands as many tasks as the clock says, or fewer if they take longer than those before. Calls `took_back` when shared
  /// tasks have become private. Returns how many.
  template <class TookBack>
  std::uint32_t expand(const poll_clock& clock, rank_counters& counters, const TookBack& took_back) {
    const auto emit = [this](Task task) { tasks_.push(std::move(task)); };
    const std::uint32_t most = clock.tasks();
    std::uint32_t done = 0;
    for (std::uint32_t reads_at = 0; done != most; ++done) {
      if (done == reads_at) {
        reads_at += clock.unwatched(readings_per_poll);
        if (done != 0 && clock.late(P::now_ns())) break;
      }
      if (!tasks_.has_private()) {
        if (!tasks_.reacquire()) break;
        ++counters[rank_event::reacquired];
        took_back();
      }
      const Task task = tasks_.pop();
      found_ = combine_(std::move(found_), expand_(task, emit));
    }
    if (done != 0) found_some_ = true;
    counters[rank_event::tasks] += done;
    return done;
  }

  /// Adds what it has found.
  /// \throws what combining does
  void collect(Result& result, rank_counters&) {
    if (std::exchange(found_some_, false)) result = combine_(std::move(result), std::exchange(found_, identity_));
  }
  void count_tasks(rank_counters&) noexcept {}
  void check() noexcept {}

  /// The run has failed.
  void drop() noexcept { tasks_.clear(); }

 private:
  static constexpr std::uint32_t readings_per_poll = 8;

  Expand& expand_;
  Combine& combine_;
  const Result identity_;
  arena<Task> tasks_;
  Result found_;
  bool found_some_ = false;  // since it was collected
};

}  // namespace leat::inline LEAT_ABI::ranks
