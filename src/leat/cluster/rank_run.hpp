// One rank's part of a run: expands its tasks, polls between them, seeks work when it has none, and combines results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/cluster/bound_mail.hpp"
#include "leat/cluster/counters.hpp"
#include "leat/cluster/cut.hpp"
#include "leat/cluster/cut_snapshot.hpp"
#include "leat/cluster/engine.hpp"
#include "leat/cluster/failure.hpp"
#include "leat/cluster/lone_worker.hpp"
#include "leat/cluster/mail.hpp"
#include "leat/cluster/packing.hpp"
#include "leat/cluster/phases.hpp"
#include "leat/cluster/poll_clock.hpp"
#include "leat/cluster/progress.hpp"
#include "leat/cluster/rank_parts.hpp"
#include "leat/cluster/result_tree.hpp"
#include "leat/cluster/snapshot.hpp"
#include "leat/cluster/turn.hpp"
#include "leat/platform/thrown.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// The run, in steps that do not wait. `Workers` is lone_worker or rank_workers. Thread safety: none, but
/// `speak`.
template <class P, class Task, class Result, class Expand, class Combine,
          class Workers = lone_worker<P, Task, Result, Expand, Combine>>
class rank_run {
 public:
  rank_run(const rank_parts& with, const Result& identity, Expand& expand, Combine& combine)
      : with_(with),
        combine_(combine),
        result_(identity),
        clock_(with.poll_ns),
        results_(with.post, with.self, with.ranks, combine),
        failure_(with.post, with.self, with.ranks),
        cut_(with.post, with.self, with.ranks),
        phases_(with.counters, P::now_ns()),
        last_cut_ns_(P::now_ns()),
        workers_(with, identity, expand, combine) {
    clock_.begin(last_cut_ns_);
    workers_.speak_with([this] { speak(); });
  }

  rank_run(const rank_run&) = delete;
  rank_run& operator=(const rank_run&) = delete;

  /// To be called before there are tasks: they share this bound, and value_of(result) is what a result stands for.
  void share(shared_bound& bound, std::function<std::int64_t(const Result&)> value_of) {
    bounded_.emplace(with_.post, with_.self, with_.ranks, bound, std::move(value_of));
  }

  /// To be called before there are tasks: this rank's progress is shown as asked for. `asked` outlives the run.
  void show(const progress& asked) {
    if (asked.show) progress_.begin(asked, P::now_ns());
  }

  /// Adds a task that this rank begins with.
  void add_root(Task root) { workers_.add(std::move(root)); }

  /// Adds this rank's share of the tasks that all begin with: root i is for rank i mod ranks.
  template <std::ranges::random_access_range Roots>
  void add_roots(const Roots& roots) {
    try {
      using distance = std::ranges::range_difference_t<Roots>;
      const auto roots_end = static_cast<std::uint64_t>(std::ranges::distance(roots));
      for (std::uint64_t i = with_.self; i < roots_end; i += with_.ranks) {
        add_root(*(std::ranges::begin(roots) + static_cast<distance>(i)));
      }
    } catch (...) {
      fail(platform::thrown());
    }
  }

  /// Begins with what a snapshot holds, in place of roots: rank 0 does, for all.
  void resume() {
    if (with_.self != 0) return;
    try {
      go_on_with(read(with_.keep.file, with_.keep.name));
    } catch (...) {
      fail(platform::thrown());
    }
  }

  /// Finds out now, on rank 0, whether snapshots can be written.
  void prepare_to_keep() {
    if (with_.self != 0) return;
    try {
      check_writable(with_.keep.file, with_.keep.name);
    } catch (...) {
      fail(platform::thrown());
    }
  }

  /// Does a little, and returns whether the run is over on this rank.
  bool step() {
    if (over_) return true;
    turn<Workers> mine(workers_);
    try {
      if (!mine) {
        work_without_turn();
        return false;
      }
      if (results_.told()) {
        over_ = results_.leaves();
        if (!over_) P::yield();
        return over_;
      }
      bool heard = hear();
      if (failure_.failed()) {
        if (!std::exchange(dropped_, true)) failure_.wait_from(P::now_ns());
        workers_.drop();
        workers_.answer_idle();
        over_ = failure_.over(P::now_ns());
      } else if (!with_.moves.ended() || !with_.moves.settled()) {
        heard |= go_on(mine);
        if (mine && progress_.on()) show_in_time();
      } else {
        leave();
      }
      if (!heard && !over_) P::yield();
    } catch (...) {
      const std::exception_ptr why = platform::thrown();
      for (; !mine; mine.begin()) P::yield();  // a turn of another worker does not wait
      fail(why);
      over_ = failure_.over(P::now_ns());  // it may be hearing others that throws
    }
    return over_;
  }

  /// SEAT-5: another worker than the first has the turn, while that one expands tasks. Answers other ranks, and takes what
  /// comes. What is about all workers of the rank is left to the first.
  /// \throws what `step` tells all ranks of: the caller sees to it that worker 0 gets it
  void speak() {
    // Without work a rank is in its engine's search, or counted as idle: there the first worker alone goes on (RMA-5).
    if (results_.told() || failure_.failed() || !workers_.tasks().busy()) return;
    hear();
    if (results_.told() || failure_.failed()) return;
    if (bounded_) bounded_->tell();
    workers_.tasks().hold(cut_.begun());
    if (workers_.tasks().held()) return;
    prefetch_if_low();
    poll();
  }

  /// Why the run failed, if it did and some rank has not heard of it in time; else empty.
  std::string left_behind() const { return failure_.left_behind() ? failure_.text() : std::string(); }

  /// The result of all ranks, once the run is over.
  /// \throws what a task threw here, what unpacking the result did, rank_failed, or bounded_run::check
  Result take_result() {
    if (failure_.failed()) failure_.rethrow();
    results_.check();
    if (bounded_) bounded_->check(result_);
    return std::move(result_);
  }

 private:
  // Letters taken in one step. A manager and a rank that has just run out of work, on one rank, would send a request
  // to and fro without end, and the rank would never get to say that it is idle.
  static constexpr std::uint32_t letters_max = 64;

  void go_on_with(const snapshot& kept) {
    try {
      result_ = unpack_result<Result>(kept.result);
      if (bounded_) bounded_->go_on_with(result_);
      for (std::span<const std::byte> left(kept.tasks); !left.empty();) workers_.add(unpack_task<Task>(left));
    } catch (const std::length_error& e) {  // the file is whole, but another program wrote it
      throw std::runtime_error("leat::cluster: the snapshot '" + with_.keep.file +
                               "' is not of this program: " + e.what());
    }
  }

  void fail(const std::exception_ptr& why) {
    workers_.drop();
    failure_.fail(why, P::now_ns());
  }

  // Takes what has come, but not all of it if more keeps coming; returns whether anything had.
  bool hear() {
    std::uint32_t heard = 0;
    for (letter l; heard != letters_max && !results_.told() && with_.post.receive(l); ++heard) {
      if (l.kind == mail_kind::failed) {
        workers_.drop();
        failure_.hear(l, P::now_ns());
      } else if (failure_.failed()) {
        continue;
      } else if (results_.is_of(l.kind)) {
        results_.hear(l, result_);
      } else if (cut::is_of(l.kind)) {
        cut_.hear(l);
      } else if (l.kind == mail_kind::bound) {
        hear_bound(bounded_, l);
      } else {
        with_.moves.deliver(l, workers_.tasks());
      }
    }
    return heard != 0;
  }

  // The run's tasks have ended, here and elsewhere.
  void leave() {
    begin_phase(phase::busy);
    if (!std::exchange(collected_, true)) workers_.collect(result_, with_.counters);
    // PROGRESS-2: now, not when the total is there: the other ranks may be gone then, and hear of no failure (FAILURE-3).
    if (progress_.on()) progress_.end(with_.counters);
    with_.moves.poll(workers_.tasks());  // others may still be owed answers
    results_.combine(result_);
  }

  void show_in_time() {
    workers_.count_tasks(with_.counters);
    // The time of the call is no time of tasks.
    if (progress_.poll(with_.counters, P::now_ns())) clock_.begin(P::now_ns());
  }

  // Works, or seeks work; returns whether there was some.
  bool go_on(turn<Workers>& mine) {
    workers_.check();
    // A rank that has left for the results takes part in no cut (SNAPSHOT-4).
    const bool ended = with_.moves.ended();
    if (bounded_) bounded_->tell();
    if (!ended && cut_is_due()) cut_.begin();
    workers_.tasks().hold(!ended && cut_.holds());
    workers_.answer_idle();
    if (workers_.tasks().held()) return hold();
    workers_.go_on();
    cut_.moved();
    if (!workers_.tasks().busy()) {
      begin_phase(phase::idle);
      with_.moves.poll(workers_.tasks());
      if (!workers_.tasks().busy()) with_.moves.seek();
      return false;
    }
    if (!workers_.has_some()) return wait_for_workers();
    begin_phase(phase::busy);
    mine.end();
    const std::uint32_t done = expand();
    mine.begin();
    if (mine) {
      if constexpr (Workers::asks_at_polls) prefetch_if_low();
      poll();
    }
    clock_.polled(P::now_ns(), done);
    return true;
  }

  // Another worker of the rank talks with other ranks.
  void work_without_turn() {
    workers_.answer_idle();
    if (!workers_.has_some()) return P::yield();
    if (phases_.now() != phase::busy) {
      const std::uint64_t now = P::now_ns();
      phases_.begin(phase::busy, now, false);
      clock_.begin(now);
    }
    const std::uint32_t done = expand();
    clock_.polled(P::now_ns(), done);
  }

  std::uint32_t expand() {
    const std::uint32_t done = workers_.expand(clock_, with_.counters, [this] { prefetch_if_low(); });
    workers_.share(with_.counters);
    return done;
  }

  void poll() {
    with_.moves.poll(workers_.tasks());
    ++with_.counters[rank_event::polls];
  }

  // Others of this rank have work, but not this worker.
  bool wait_for_workers() {
    begin_phase(phase::waiting);
    poll_in_time();
    return false;
  }

  // Polls as often as a rank that works: MESSAGE-5 counts on that.
  void poll_in_time() {
    const std::uint64_t now = P::now_ns();
    if (now - polled_ns_ < with_.poll_ns) return;
    polled_ns_ = now;
    if (!workers_.tasks().held()) prefetch_if_low();
    with_.moves.poll(workers_.tasks());
  }

  bool cut_is_due() const noexcept {
    return with_.keep.every_us != 0 && with_.self == 0 && !cut_.begun() &&
           (P::now_ns() - last_cut_ns_) / 1000 >= with_.keep.every_us;
  }

  // SNAPSHOT-1, SNAPSHOT-2: answers others and takes what comes, but does no work.
  bool hold() {
    begin_phase(phase::held);
    if (!workers_.all_rest()) {  // all hold before this rank says so
      poll_in_time();
      return false;
    }
    with_.moves.poll(workers_.tasks());
    if (cut_.owes_part(workers_.tasks().moved())) {
      workers_.collect(result_, with_.counters);
      std::vector<std::byte> result;
      std::vector<std::byte> tasks;
      packing<Result>::pack(result_, result);
      workers_.tasks().pack_all(tasks);
      cut_.send_part(workers_.tasks().moved(), result, tasks);
    }
    if (cut_.complete()) keep();
    return false;
  }

  // SNAPSHOT-3
  void keep() {
    write(with_.keep.file, snapshot_of<Result>(cut_, with_.keep.name, combine_));
    ++with_.counters[rank_event::snapshots];
    last_cut_ns_ = P::now_ns();
    cut_.end();
  }

  // RMA-4: there is little left for the rank's workers, between two polls, or one of them has nothing. A prefetch goes out
  // while there is still something to do, so that its answer costs no idle time.
  void prefetch_if_low() {
    if (workers_.runs_low(clock_)) with_.moves.running_low();
  }

  void begin_phase(phase next) {
    if (next == phases_.now()) return;
    const std::uint64_t now = P::now_ns();
    phases_.begin(next, now, with_.moves.ended());
    if (next == phase::busy) clock_.begin(now);
  }

  rank_parts with_;
  Combine& combine_;
  Result result_;  // without what its workers have found since the last collect
  poll_clock clock_;
  result_tree<Result, Combine> results_;
  failure failure_;
  cut cut_;
  std::optional<bounded_run<Result>> bounded_;
  bool over_ = false;
  bool collected_ = false;
  bool dropped_ = false;  // the first worker has seen that the run failed
  phase_times phases_;
  progress_clock progress_;
  std::uint64_t last_cut_ns_;
  std::uint64_t polled_ns_ = 0;  // while others of this rank had work
  Workers workers_;
};

}  // namespace leat::inline LEAT_ABI::ranks
