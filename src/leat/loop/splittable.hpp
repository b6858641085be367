// Splittable tasks: a loop is one task, of which parts are cut off when other workers ask (thesis 5.2, 5.3). Rules
// LOOP-1 to LOOP-7 and LOOP-16 to LOOP-20: docs/internals/loops.md.
//
// A worker leaves the upper half of its part as a fork, and executes the lower half in chunks. Between chunks it
// compares one word. If no worker has taken the upper half in the end, it takes that back, and cuts it in turn:
// log2(n) forks for a loop of n iterations, of a few nanoseconds each. If the upper half is gone, the rest of the
// lower one is cut, inside the same call; at its end the worker joins the thief, which has done the same with its
// part.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "leat/loop/chunk_clock.hpp"
#include "leat/loop/last_time.hpp"
#include "leat/loop/options.hpp"
#include "leat/platform/order.hpp"
#include "leat/scheduler/stay.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/task/insider.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Iterations in a row that are still to be executed, and the value that those executed so far have made. One worker
/// at a time uses a part.
///
/// - `size()`: iterations left.
/// - `cut(n)`: takes about the n last ones away, 0 < n < size(); at least one is taken and one is left. They become a
///   part that has made nothing.
/// - `step(n)`: executes about the n first ones, 0 < n <= size(), at least one, and returns how many.
/// - `go_on(upper)`: what is left is `upper` alone, of which nothing has been executed.
/// - `absorb(upper)`: the iterations that follow have been executed, as `upper`.
template <class T>
concept part = requires(T& p, const T& c, std::uint64_t n, T&& upper) {
  { c.size() } -> std::same_as<std::uint64_t>;
  { p.cut(n) } -> std::same_as<T>;
  { p.step(n) } -> std::same_as<std::uint64_t>;
  p.go_on(std::move(upper));
  p.absorb(std::move(upper));
};

/// The state that all parts of a loop share, in the frame of the function that called it.
template <class P>
class shared {
 public:
  shared(const options<P>& o, const scheduler::group<P>* around, std::uint64_t first_chunk)
      : options_(o), around_(around), first_chunk_(first_chunk) {}

  /// Whether nothing more is to be executed: some part threw, or the loop was cancelled. For good. Five loads (LOOP-6).
  bool stopped() noexcept {
    // relaxed: a hint; an exception itself comes by a join.
    if (stopped_.load(platform::relaxed) != 0) return true;
    if (!options_.stop.stop_requested() && (around_ == nullptr || !around_->stop_requested())) return false;
    stop();
    return true;
  }

  void stop() noexcept { stopped_.store(1, platform::relaxed); }  // relaxed: as above

  const options<P>& how() const noexcept { return options_; }
  const scheduler::group<P>* around() const noexcept { return around_; }
  std::uint64_t first_chunk() const noexcept { return first_chunk_; }

 private:
  const options<P>& options_;
  const scheduler::group<P>* const around_;  // the group that the loop is in
  const std::uint64_t first_chunk_;  // iterations that each worker executes first
  typename P::template atomic<std::uint32_t> stopped_{0};
};

/// Executes parts of a loop on one worker, and leaves parts of these where other workers may get them. It lies on the
/// worker's stack: one for the caller of the loop, and one for each part that a thief takes.
template <class P, part Part>
class executor {
 public:
  /// Workers that get a share of a part at once, at most (LOOP-4): each share that no thief takes costs a frame of
  /// the stack.
  static constexpr std::size_t shares_max = 128;

  /// `brief`: the loop is expected to take less than `brief_ns_max` (LOOP-7). `lead`: so many iterations the worker executes
  /// before a thief begins (LOOP-20). `all` must outlive the executor.
  executor(scheduler::worker<P>& me, shared<P>& all, bool brief = false, std::uint64_t brief_ns_max = 0,
           std::uint64_t lead = 0)
      : me_(me),
        all_(all),
        least_(all.how().chunk_min),
        clock_(least_, all.first_chunk()),
        brief_ns_max_(brief_ns_max),
        lead_(lead),
        brief_(brief) {}

  /// What an iteration took this worker, in the mean.
  double mean_ns() const noexcept { return clock_.mean_ns(); }

  /// Executes all of `p`, and joins the parts that others took of it. `shares`: into how many it is cut at first, if
  /// guided.
  ///
  /// The first loop leaves an upper part, executes the lower one, and goes on with the upper one unless a thief had
  /// it. It ends when less than two parts of chunk_min are left; or, if brief, when the rest fits into one chunk. The
  /// second loop executes that.
  /// \throws what a body threw; the loop is stopped by then, and no part of it is with another worker
  void run(Part& p, std::uint64_t shares) {
    while (p.size() / 2 >= least_ && !is_left_whole(p.size()) && !all_.stopped()) {
      upper_part upper{all_, p.cut(upper_size(p.size(), shares)), std::max<std::uint64_t>(shares - 1, 2)};
      if (run_lower(p, upper)) {
        me_.counts.add(event::splits);
        // The thief has executed the upper part, in its place: what follows `p` is done.
        return stopping_if_thrown([&] { p.absorb(std::move(upper.rest)); });
      }
      p.go_on(std::move(upper.rest));  // LOOP-3
      shares = upper.shares;
    }
    while (p.size() != 0 && !all_.stopped()) step(p, p.size());
  }

 private:
  using form = task::plain_form<P>;
  using slot = typename form::slot;

  /// The callable that is forked. It lies in the victim's frame, and the thief executes it there: nothing is copied.
  struct upper_part {
    shared<P>& all;
    Part rest;
    const std::uint64_t shares;

    void operator()() {
      // A new executor: the thief's clock begins with the first chunk of LOOP-17, as its iterations may be unlike the victim's. The group is the loop's (LOOP-6), whatever the thief was in.
      auto& thief = *scheduler::worker<P>::current();
      thief.runner.call_as_task_of(all.around(), [&] { executor(thief, all).run(rest, shares); });
    }
  };
  using fork = task::fork<P, form, upper_part&>;

  /// The last part that a poll gave away: where its fork lies, iterations, and what all chunks had taken by then.
  struct given_part {
    slot* fork = nullptr;
    std::uint64_t size, at_ns;
  };

  // FORK-2: whether the slot is below the limit: a request is pending, or the fork is gone.
  static bool is_below_limit(slot* s) noexcept { return is_below_limit(s, form::limit(s)); }
  static bool is_below_limit(slot* s, std::uintptr_t limit) noexcept { return deque::fork_stack<P>::word(s) < limit; }

  // LOOP-1, LOOP-2: executes `p` while `upper` can be had by others. Returns whether another worker has had it; it is
  // done then. In this order: `upper` is complete before the slot names it; and the slot is given up before the limit
  // is read (FORK-3), so a poll has either given the fork away by then, or cannot any more. A brief loop joins only a
  // fork that is gone, and leaves requests unanswered (LOOP-7).
  bool run_lower(Part& p, upper_part& upper) {
    slot* const s = form::place();
    if (!form::has_room(s)) [[unlikely]]
      task::throw_no_place<P>();
    fork::write(s, upper);
    form::forked(s);
    const auto chunks = [&] { run_chunks(p, s, upper); };
    fork::call_first(chunks, s);
    if (!is_below_limit(s, form::give_up(s)) || (brief_ && me_.exposer.fork_is_mine(s))) [[likely]]
      return false;
    if (given_.fork == s) await_thief();
    const bool given = fork::given_away(s);
    if (given) fork::take(s);
    clock_.restart();
    return given;
  }

  // Polls, which may give the upper part away. For LOOP-19 the size of that part is read before, as its thief changes it. `here` keeps
  // interrupts from polling in between. Where thieves come by themselves, one may have it at any time, and nothing is noted.
  void answer(slot* s, const upper_part& upper) {
    const scheduler::stay<P> here(me_, scheduler::whereabouts::runtime);
    const bool is_here = me_.published == nullptr && !me_.exposer.fork_is_gone(s);
    const std::uint64_t size = is_here ? upper.rest.size() : 0;
    me_.poll_now();
    if (is_here && me_.exposer.fork_is_gone(s)) given_ = {s, size, clock_.worked_ns()};
    clock_.restart();
  }

  // LOOP-19: waits for the thief of the last part that was given away, if that is expected to end just now. The join that follows
  // would ask the thief for tasks at once.
  void await_thief() {
    slot* const s = std::exchange(given_.fork, nullptr);
    const auto ago_ns = static_cast<double>(clock_.worked_ns() - given_.at_ns);
    const double left_ns = clock_.expected_ns(given_.size) - ago_ns;
    constexpr double most_ns = scheduler::waiter<P>::thief_ns_max;
    if (-most_ns < left_ns && left_ns < most_ns) me_.waiter.await_thief(s);
  }

  // Executes all of `p`, with a check before each chunk. Three cases call run, which leaves more parts in forks above
  // `s`:
  // - LOOP-5: chunks are as small as may be, so a single one may take long; the rest must not be out of reach behind
  //   it.
  // - LOOP-2: the upper part is gone, so no thief can get anything.
  // - LOOP-4: more thieves ask than there are parts.
  // Else a pending request is answered by a poll, which gives the upper part away.
  void run_chunks(Part& p, slot* s, const upper_part& upper) {
    while (p.size() != 0 && !all_.stopped()) {
      if (!brief_ && clock_.size() == least_ && p.size() / 2 >= least_) return run(p, 2);  // LOOP-5
      if (is_asked(s)) [[unlikely]] {
        if (wants_more_parts(s)) return run(p, 2);
        answer(s, upper);
      }
      step(p, std::min(clock_.size(), p.size()));
    }
  }

  // LOOP-16: whether so many iterations are expected to be over before a thief could help with them.
  bool is_left_whole(std::uint64_t n) const noexcept {
    return brief_ ? n <= clock_.size() : clock_.expected_ns(n) < last_time<Part>::brief_ns;
  }

  bool checks_each_iteration() const { return me_.published != nullptr && me_.published->checks_each_iteration(); }

  // LOOP-2: whether the fork in `s` is gone, or a request is pending. A brief loop leaves that unanswered (LOOP-7).
  bool is_asked(slot* s) {
    if (checks_each_iteration()) return me_.exposer.fork_is_gone(s) || me_.published->unserved() != 0;
    return is_below_limit(s) && (brief_ ? me_.exposer.fork_is_gone(s) : me_.exposer.is_poll_due_for(s));
  }

  // LOOP-2: the part that was left for others is gone, or LOOP-4: it is not enough.
  bool wants_more_parts(slot* s) {
    return me_.exposer.fork_is_gone(s) ||
           (all_.how().split == splitting::adaptive && me_.responder.unserved(shares_max) != 0);
  }

  // How many of `size` iterations are cut off. In `adaptive` k thieves that ask get one share of k + 1 each: this cut
  // takes the first, and the next run_chunks those after it. The clamp keeps chunk_min on both sides, which run() has
  // made sure there is room for. Where thieves come by themselves, all but one share of k + 1 is left to k idle workers.
  std::uint64_t upper_size(std::uint64_t size, std::uint64_t shares) {
    std::uint64_t upper = size / 2;
    if (all_.how().split == splitting::guided) upper = size - size / shares;
    if (all_.how().split == splitting::adaptive && !brief_ && is_below_limit(form::place())) {
      upper = size / (std::max<std::size_t>(me_.responder.unserved(shares_max), 1) + 1);
      upper -= std::min(std::exchange(lead_, 0) / 2, upper / 4);  // LOOP-20: once
    }
    if (const std::size_t idle = idle_thieves(); idle != 0) upper = size - size / (idle + 1);
    return std::clamp(upper, least_, size - least_);
  }

  std::size_t idle_thieves() const {
    return all_.how().split == splitting::adaptive && me_.published != nullptr ? me_.published->idle_thieves() : 0;
  }

  // One chunk. A loop that has outlasted brief_ns_max_ is brief no more, and answers thieves from then on.
  void step(Part& p, std::uint64_t n) {
    clock_.ran(stopping_if_thrown([&] { return steps(p, n); }));
    brief_ = brief_ && clock_.worked_ns() < brief_ns_max_;
  }

  // LOOP-15: no further than to a request, if the scheduler checks after each iteration. Returns how many were executed.
  std::uint64_t steps(Part& p, std::uint64_t n) {
    if (!checks_each_iteration()) [[likely]]
      return p.step(n);
    std::uint64_t done = 0;
    do done += p.step(std::min(least_, n - done));
    while (done < n && me_.published->unserved() == 0);
    return done;
  }

  // The loop is stopped before the exception goes on: the joins that it passes wait for other parts, which then end
  // with their chunks.
  template <class F>
  decltype(auto) stopping_if_thrown(F f) {
    try {
      return f();
    } catch (...) {
      all_.stop();
      throw;
    }
  }

  scheduler::worker<P>& me_;
  shared<P>& all_;
  const std::uint64_t least_;
  chunk_clock<P> clock_;
  const std::uint64_t brief_ns_max_;
  std::uint64_t lead_;
  bool brief_;
  given_part given_;
};

template <class P, part Part>
void run(Part& p, const options<P>& o, const char* what);

/// The same, measured (rules SPAN: docs/internals/spans.md).
template <class P, part Part>
void run_measured(Part& p, const options<P>& o, const char* what) {
  strands::loop_call<P> here(p.size(), o.chunk_min);
  strands::measured_part<P, Part> whole(p, here);
  run<P>(whole, o, what);
}

/// Executes all of `p`, in parallel if other workers ask. For workers only.
/// \param what  the public function, for messages
/// \throws the exception of the earliest part, in the order of the indices, that threw, when all parts have ended;
///         not_a_worker inside leat::blocking; std::invalid_argument for bad options
template <class P, part Part>
void run(Part& p, const options<P>& o, const char* what) {
  check(o, what);
  if (p.size() == 0) return;
  if constexpr (strands::profiles<P> && !strands::is_measured<Part>) {
    if (strands::session<P>::on()) return run_measured(p, o, what);
  }
  const task::insider<P> in(what);
  auto& me = in.me();
  using last_type = last_time<Part>;
  auto& last = P::template own<last_type>();
  const bool has_thief = in.entered() && (me.responder.is_thief_here() || me.responder.has_given());
  const bool unasked = in.entered() && !has_thief;
  const bool brief = last.next_is_brief(p.size(), unasked);
  shared<P> all(o, me.runner.current_group(), last.first_chunk(p.size()));
  me.runner.call_as_task([&] {
    executor<P, Part> mine(me, all, brief, last_type::brief_ns_max(unasked), has_thief ? last.lead() : 0);
    mine.run(p, std::max<std::uint64_t>(me.workers(), 2));
    last.was(mine.mean_ns());
  });
  if (brief && !in.entered()) me.poll();  // LOOP-7; on leaving, a request may wait for the next call
}

}  // namespace leat::inline LEAT_ABI::loop
