// One rank's part of a run: expands its tasks, polls between them, seeks work when it has none, and combines results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/cluster/arena.hpp"
#include "leat/cluster/bound_mail.hpp"
#include "leat/cluster/counters.hpp"
#include "leat/cluster/cut.hpp"
#include "leat/cluster/cut_snapshot.hpp"
#include "leat/cluster/engine.hpp"
#include "leat/cluster/failure.hpp"
#include "leat/cluster/mail.hpp"
#include "leat/cluster/packing.hpp"
#include "leat/cluster/phases.hpp"
#include "leat/cluster/poll_clock.hpp"
#include "leat/cluster/progress.hpp"
#include "leat/cluster/rank_parts.hpp"
#include "leat/cluster/rank_workers.hpp"
#include "leat/cluster/result_tree.hpp"
#include "leat/cluster/snapshot.hpp"
#include "leat/platform/thrown.hpp"

namespace leat::ranks {

/// The run, in steps that do not wait. `Workers` is rank_workers or no_rank_workers, which is made of the last
/// arguments. Thread safety: none.
template <class P, class Task, class Result, class Expand, class Combine, class Workers = no_rank_workers>
class rank_run {
 public:
  template <class... Others>
  rank_run(const rank_parts& with, Result identity, Expand& expand, Combine& combine, Others&&... others)
      : with_(with),
        expand_(expand),
        combine_(combine),
        tasks_(with.shares),
        result_(std::move(identity)),
        clock_(with.poll_ns),
        results_(with.post, with.self, with.ranks, combine),
        failure_(with.post, with.self, with.ranks),
        cut_(with.post, with.self, with.ranks),
        phases_(with.counters, P::now_ns()),
        last_cut_ns_(P::now_ns()),
        workers_(std::forward<Others>(others)...) {
    clock_.begin(last_cut_ns_);
  }

  /// To be called before there are tasks: they share this bound, and value_of(result) is what a result stands for.
  void share(shared_bound& bound, std::function<std::int64_t(const Result&)> value_of) {
    bounded_.emplace(with_.post, with_.self, with_.ranks, bound, std::move(value_of));
  }

  /// To be called before there are tasks: this rank's progress is shown as asked for. `asked` outlives the run.
  void show(const progress& asked) {
    if (asked.show) progress_.begin(asked, P::now_ns());
  }

  /// Adds a task that this rank begins with.
  void add_root(Task root) { tasks_.push(std::move(root)); }

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
      fail();
    }
  }

  /// Begins with what a snapshot holds, in place of roots: rank 0 does, for all.
  void resume() {
    if (with_.self != 0) return;
    try {
      go_on_with(read(with_.keep.file, with_.keep.name));
    } catch (...) {
      fail();
    }
  }

  /// Finds out now, on rank 0, whether snapshots can be written.
  void prepare_to_keep() {
    if (with_.self != 0) return;
    try {
      check_writable(with_.keep.file, with_.keep.name);
    } catch (...) {
      fail();
    }
  }

  /// Does a little, and returns whether the run is over on this rank.
  bool step() {
    if (over_) return true;
    try {
      if (results_.told()) {
        over_ = results_.leaves();
        if (!over_) P::yield();
        return over_;
      }
      bool heard = hear();
      if (failure_.failed()) {
        if constexpr (Workers::exists) workers_.poll();
        over_ = failure_.over(P::now_ns());
      } else if (!with_.moves.ended() || !with_.moves.settled()) {
        heard |= go_on();
        // The time of the call is no time of tasks.
        if (progress_.on() && progress_.poll(with_.counters, P::now_ns())) clock_.begin(P::now_ns());
      } else {
        begin_phase(phase::busy);
        // PROGRESS-2: now, not when the total is there: the other ranks may be gone then, and hear of no failure (FAILURE-3).
        if (progress_.on()) progress_.end(with_.counters);
        with_.moves.poll(tasks_);  // others may still be owed answers
        results_.combine(result_);
      }
      if (!heard && !over_) P::yield();
    } catch (...) {
      fail();
      over_ = failure_.over(P::now_ns());  // it may be hearing others that throws
    }
    return over_;
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

  // How often the other workers of the rank are polled between two polls of other ranks.
  static constexpr std::uint32_t readings_per_poll = 8;

  // Tasks between two readings of the clock: they may take much longer than those before.
  static constexpr std::uint32_t unwatched_max = 256;

  void go_on_with(const snapshot& kept) {
    try {
      result_ = unpack_result<Result>(kept.result);
      if (bounded_) bounded_->go_on_with(result_);
      for (std::span<const std::byte> left(kept.tasks); !left.empty();) tasks_.push(unpack_task<Task>(left));
    } catch (const std::length_error& e) {  // the file is whole, but another program wrote it
      throw std::runtime_error("leat::cluster: the snapshot '" + with_.keep.file +
                               "' is not of this program: " + e.what());
    }
  }

  void fail() {
    drop_work();
    failure_.fail(platform::thrown(), P::now_ns());
  }

  void drop_work() noexcept {
    tasks_.clear();
    if constexpr (Workers::exists) workers_.stop(), workers_.drop();
  }

  // PART-2: as of now, whether other workers of this rank have work, and what they have given back.
  void poll_workers() {
    if constexpr (Workers::exists) {
      workers_.poll();
      tasks_.lent(workers_.busy());  // before what was given back is taken
      workers_.collect(tasks_, result_, with_.counters);
    }
  }

  // Takes what has come, but not all of it if more keeps coming; returns whether anything had.
  bool hear() {
    std::uint32_t heard = 0;
    for (letter l; heard != letters_max && !results_.told() && with_.post.receive(l); ++heard) {
      if (l.kind == mail_kind::failed) {
        drop_work();
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
        with_.moves.deliver(l, tasks_);
      }
    }
    return heard != 0;
  }

  // Works, or seeks work; returns whether there was some.
  bool go_on() {
    // A rank that has left for the results takes part in no cut (SNAPSHOT-4).
    const bool ended = with_.moves.ended();
    if (bounded_) bounded_->tell();
    if (!ended && cut_is_due()) cut_.begin();
    tasks_.hold(!ended && cut_.holds());
    poll_workers();
    if (tasks_.held()) return hold();
    cut_.moved();
    if (!tasks_.busy()) {
      begin_phase(phase::idle);
      with_.moves.poll(tasks_);
      if (!tasks_.busy()) with_.moves.seek();
      return false;
    }
    if (tasks_.size() == 0) return wait_for_workers();
    begin_phase(phase::busy);
    const std::uint32_t done = expand_some();
    share();
    if constexpr (Workers::exists) prefetch_if_low();
    with_.moves.poll(tasks_);
    ++with_.counters[rank_event::polls];
    clock_.polled(P::now_ns(), done);
    return true;
  }

  // PART-3: others of this rank have work, but not this worker.
  bool wait_for_workers() {
    begin_phase(phase::waiting);
    if constexpr (Workers::exists) workers_.reclaim(), workers_.ask();
    poll_in_time();
    return false;
  }

  // Polls as often as a rank that works: MESSAGE-5 counts on that.
  void poll_in_time() {
    const std::uint64_t now = P::now_ns();
    if (now - polled_ns_ < with_.poll_ns) return;
    polled_ns_ = now;
    if (!tasks_.held()) prefetch_if_low(), share();
    with_.moves.poll(tasks_);
  }

  // PART-8: a task for each worker is enough.
  void share() noexcept {
    std::size_t enough = 1;
    if constexpr (Workers::exists) enough = workers_.count();
    if (tasks_.share(enough)) ++with_.counters[rank_event::released];
    if constexpr (Workers::exists) {
      if (with_.ranks != 1 && tasks_.lent() && tasks_.shared() < enough) workers_.ask();
    }
  }

  bool cut_is_due() const noexcept {
    return with_.keep.every_us != 0 && with_.self == 0 && !cut_.begun() &&
           (P::now_ns() - last_cut_ns_) / 1000 >= with_.keep.every_us;
  }

  // SNAPSHOT-1, SNAPSHOT-2: answers others and takes what comes, but does no work.
  bool hold() {
    begin_phase(phase::held);
    if constexpr (Workers::exists) {
      if (tasks_.lent()) {  // they hold before this rank says so
        workers_.stop();
        workers_.reclaim();
        poll_in_time();
        return false;
      }
      workers_.go_on();
    }
    with_.moves.poll(tasks_);
    if (cut_.owes_part(tasks_.moved())) {
      std::vector<std::byte> result;
      std::vector<std::byte> tasks;
      packing<Result>::pack(result_, result);
      tasks_.pack_all(tasks);
      cut_.send_part(tasks_.moved(), result, tasks);
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

  // Returns how many.
  std::uint32_t expand_some() {
    const auto emit = [this](Task task) { tasks_.push(std::move(task)); };
    const std::uint32_t most = clock_.tasks();
    std::uint32_t done = 0;
    for (std::uint32_t reads_at = 0; done != most; ++done) {
      if (done == reads_at) {
        reads_at += std::min(1 + most / readings_per_poll, unwatched_max);
        if (done != 0 && clock_.late(P::now_ns())) break;
        if constexpr (Workers::exists) lend();
      }
      if (!tasks_.has_private() && !reacquire()) break;
      const Task task = tasks_.pop();
      result_ = combine_(std::move(result_), expand_(task, emit));
    }
    with_.counters[rank_event::tasks] += done;
    return done;
  }

  // PART-1
  void lend() {
    workers_.poll();
    if (tasks_.size() < 2 || !workers_.has_room()) return;
    workers_.lend(tasks_);
    tasks_.lent(true);
  }

  bool reacquire() {
    if (!tasks_.reacquire()) return false;
    ++with_.counters[rank_event::reacquired];
    prefetch_if_low();
    return true;
  }

  // RMA-4: there is little left for the rank's workers, between two polls, or one of them has nothing. A prefetch goes out
  // while there is still something to do, so that its answer costs no idle time.
  void prefetch_if_low() {
    std::size_t left = tasks_.size();
    std::size_t few = clock_.tasks();
    bool idle = false;
    if constexpr (Workers::exists) {
      if (tasks_.lent()) left += workers_.waiting();
      few *= workers_.count();
      idle = workers_.has_room();
    }
    if (left <= few || idle) with_.moves.running_low();
  }

  void begin_phase(phase next) {
    if (next == phases_.now()) return;
    const std::uint64_t now = P::now_ns();
    phases_.begin(next, now, with_.moves.ended());
    if (next == phase::busy) clock_.begin(now);
  }

  rank_parts with_;
  Expand& expand_;
  Combine& combine_;
  arena<Task> tasks_;
  Result result_;
  poll_clock clock_;
  result_tree<Result, Combine> results_;
  failure failure_;
  cut cut_;
  std::optional<bounded_run<Result>> bounded_;
  bool over_ = false;
  phase_times phases_;
  progress_clock progress_;
  std::uint64_t last_cut_ns_;
  std::uint64_t polled_ns_ = 0;  // while others of this rank had work
  [[no_unique_address]] Workers workers_;
};

}  // namespace leat::ranks
