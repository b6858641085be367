// Loops, measured: as balanced trees over their iterations.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "leat/platform/order.hpp"
#include "leat/strands/tasks.hpp"
#include "leat/strands/thread.hpp"

namespace leat::inline LEAT_ABI::strands {

/// What all blocks of a loop have in common.
template <class P>
struct loop_place {
  instant at;  // where the loop begins
  const context<P>* in;
  std::uint64_t number;  // in the recording
  std::uint64_t least;  // the least iterations of a block
  const stream<P>* out;  // where it is recorded, with the blocks that its own thread executes
  task_row<P>* row;  // to which it belongs
  std::uint32_t depth;  // of its task
};

/// The time that blocks of a loop have taken. `longest`: that of their longest iteration.
struct loop_sums {
  std::uint64_t work = 0;
  std::uint64_t burdened_work = 0;
  instant longest;
  bool elsewhere = false;  // a block is recorded in another stream than the loop

  void add(const loop_sums& o) noexcept {
    work += o.work;
    burdened_work += o.burdened_work;
    longest.at_least(o.longest);
    elsewhere = elsewhere || o.elsewhere;
  }
  /// SPAN-8: the end of a loop of n iterations that begins at `at`.
  instant end(const instant& at, std::uint64_t n) const noexcept {
    const std::uint64_t steals = std::bit_width(n > 1 ? n - 1 : 0) * steal_ns;
    return {at.ns + longest.ns, at.burdened + std::min(longest.burdened + steals, burdened_work)};
  }
};

/// So many iterations took `ns` together. All but one are assumed to take the mean of the block before, or that of this block if it is
/// smaller. Returns the rest: the time of the longest.
inline std::uint64_t longest_of(std::uint64_t ns, std::uint64_t iterations, double mean_before) noexcept {
  if (iterations <= 1) return ns;
  const double others = std::min(mean_before, static_cast<double>(ns) / static_cast<double>(iterations));
  return ns - static_cast<std::uint64_t>(static_cast<double>(iterations - 1) * others);
}

/// Executes iterations of a loop in blocks, so small that a long iteration is timed alone (SPAN-8). One worker's.
template <class P>
class block_timer {
 public:
  /// Executes n iterations of the loop, from number `first` on. step(k) executes about k of them, and returns how many.
  template <class Step>
  std::uint64_t run(const loop_place<P>& loop, std::uint64_t first, std::uint64_t n, Step step) {
    std::uint64_t done = 0;
    while (done < n) done += block(loop, first + done, std::min(std::max(size_, loop.least), n - done), step);
    return done;
  }

  /// Calls f, which is no iteration, but work of the loop.
  template <class F>
  void between(const loop_place<P>& loop, std::uint64_t first, F f) {
    const timing here(*this, loop, first, 0);
    f();
  }

  loop_sums& sums() noexcept { return sums_; }

 private:
  // A block takes between these times, or is a single iteration.
  static constexpr std::uint64_t block_ns_min = 1000, block_ns_max = 4000;
  static constexpr std::uint64_t size_max = 1 << 20;

  // While it lives, a block is executed. Its end adds what it has taken, also where an iteration throws.
  class timing {
   public:
    timing(block_timer& of, const loop_place<P>& loop, std::uint64_t first, std::uint64_t n)
        : of_(of),
          out_(loop.out),
          from_(loop.at),
          mine_{nullptr, loop.at, 0, loop.in, 0, loop.depth, {}},
          on_top_(mine_),
          recorded_(loop.row) {
      auto& me = words<P>();
      if (me.out != nullptr) me.out->block_begins(loop.number, first, n, me.out == out_);
      begin_strand(me);
    }
    timing(const timing&) = delete;
    timing& operator=(const timing&) = delete;
    ~timing() {
      auto& me = words<P>();
      if (me.runs) stop(me);
      if (me.out != nullptr) me.out->block_ends(me.out == out_, mine_.at.ns - from_.ns);
      of_.sums_.elsewhere = of_.sums_.elsewhere || me.out != out_;
      of_.took(mine_, {mine_.at.ns - from_.ns, mine_.at.burdened - from_.burdened}, done_);
    }
    void executed(std::uint64_t n) noexcept { done_ = n; }

   private:
    block_timer& of_;
    const stream<P>* const out_;
    const instant from_;
    frame<P> mine_;
    const inside<P> on_top_;
    const executed_for<P> recorded_;
    std::uint64_t done_ = 0;
  };

  template <class Step>
  std::uint64_t block(const loop_place<P>& loop, std::uint64_t first, std::uint64_t n, Step& step) {
    timing here(*this, loop, first, n);
    const std::uint64_t done = step(n);
    here.executed(done);
    return done;
  }

  // `time`: from the block's beginning to its end. `done`: 0 if it is not known, and all counts as one iteration.
  void took(const frame<P>& mine, const instant& time, std::uint64_t done) noexcept {
    sums_.work += mine.work;
    sums_.burdened_work += time.burdened;
    if (done == 0) return sums_.longest.at_least(time);
    sums_.longest.at_least({longest_of(time.ns, done, mean_), longest_of(time.burdened, done, burdened_mean_)});
    mean_ = static_cast<double>(time.ns) / static_cast<double>(done);
    burdened_mean_ = static_cast<double>(time.burdened) / static_cast<double>(done);
    if (mine.operations != 0) size_ = 1;
    else if (time.ns < block_ns_min) size_ = std::min(2 * std::max(size_, done), size_max);
    else if (time.ns > block_ns_max) size_ = std::max<std::uint64_t>(done * block_ns_max / time.ns, 1);
  }

  loop_sums sums_;
  std::uint64_t size_ = 1;
  double mean_ = 1e300, burdened_mean_ = 1e300;  // of an iteration of the block before
};

/// One call of a loop that its caller waits for.
template <class P>
class loop_call {
 public:
  loop_call(std::uint64_t size, std::uint64_t least)
      : place_{here_.mine().at, here_.mine().in, 0, least, nullptr, words<P>().row, here_.mine().depth}, size_(size) {
    auto& me = words<P>();
    if (me.own_out != nullptr) me.own_out->depths.add_other(here_.mine().depth);
    if (me.out == nullptr) return;
    place_.number = me.out->new_id();
    place_.out = me.out;
    from_ = me.out->put_loop(here_.at(), place_.number, size);
  }
  loop_call(const loop_call&) = delete;
  loop_call& operator=(const loop_call&) = delete;
  ~loop_call() {
    frame<P>& mine = here_.mine();
    mine.work += sums_.work;
    mine.at.at_least(sums_.end(place_.at, size_));
    auto& me = words<P>();
    if (me.out == nullptr) return;
    if (me.out != place_.out || sums_.elsewhere) me.out->put(op::loop_end, place_.number), me.out->stay();
    else me.out->end_subtree(from_, mine.at.ns - place_.at.ns, op::loop_end, place_.number);
  }

  const loop_place<P>& place() const noexcept { return place_; }
  /// Of all blocks. The loop's parts add to it when they are destroyed.
  loop_sums& sums() noexcept { return sums_; }

 private:
  const construct<P> here_;
  loop_place<P> place_;
  recorded_subtree from_;
  const std::uint64_t size_;
  loop_sums sums_;
};

/// A part of a loop (loop/splittable.hpp), measured. It need not be movable: the whole loop stays where it is, and each part
/// that is cut off is constructed in its final place. Its destructor adds what the part has taken to the one from which it was cut,
/// after the join: so the sums survive an exception.
template <class P, class Part>
class measured_part {
 public:
  measured_part(Part& whole, loop_call<P>& of) : inner_(&whole), of_(&of.place()), sums_(of.sums()) {}
  measured_part(const measured_part&) = delete;
  measured_part& operator=(const measured_part&) = delete;
  ~measured_part() { sums_.add(timer_.sums()); }

  std::uint64_t size() const noexcept { return inner_->size(); }
  measured_part cut(std::uint64_t n) { return measured_part(*this, n); }
  std::uint64_t step(std::uint64_t n) {
    const std::uint64_t done = timer_.run(*of_, first_, n, [this](std::uint64_t k) { return inner_->step(k); });
    first_ += done;
    return done;
  }
  void go_on(measured_part&& upper) noexcept {
    first_ = upper.first_;
    inner_->go_on(std::move(*upper.inner_));
  }
  void absorb(measured_part&& upper) {
    timer_.between(*of_, first_, [&] { inner_->absorb(std::move(*upper.inner_)); });
  }

 private:
  // The upper part of `from`.
  struct cutting {
    measured_part& from;
    std::uint64_t n;
    operator Part() const { return from.inner_->cut(n); }
  };
  measured_part(measured_part& from, std::uint64_t n)
      : cut_(std::in_place, cutting{from, n}),
        inner_(&*cut_),
        of_(from.of_),
        sums_(from.timer_.sums()),
        first_(from.first_ + from.size()) {}

  std::optional<Part> cut_;  // not of the whole
  Part* const inner_;
  const loop_place<P>* const of_;
  loop_sums& sums_;  // what it has taken belongs there
  std::uint64_t first_ = 0;  // the number of the next iteration
  block_timer<P> timer_;
};

template <class Part>
inline constexpr bool is_measured = false;
template <class P, class Part>
inline constexpr bool is_measured<measured_part<P, Part>> = true;

/// A spawned loop, which only its group or the run waits for. Any worker.
template <class P>
class measured_spawned_loop {
 public:
  /// By the task that spawns it.
  void made(const construct<P>& by, measured_group<P>* group, std::uint64_t first, std::uint64_t size,
            std::uint64_t least) {
    const std::uint64_t of = group == nullptr || words<P>().out == nullptr ? 0 : group->number();
    start_ = task_start<P>::of(by, op::spawn, of);
    group_ = group;
    first_ = first;
    size_ = size;
    place_ = {start_.at,        start_.in,   words<P>().out == nullptr ? 0 : words<P>().out->new_id(), least, nullptr,
              start_.row.get(), start_.depth};
  }
  const loop_place<P>& place() const noexcept { return place_; }
  bool made() const noexcept { return start_.made; }
  /// The index of the first iteration.
  std::uint64_t first() const noexcept { return first_; }
  void ran(const loop_sums& some) noexcept {
    const std::uint64_t steals =
        std::bit_width(size_) * steal_ns;  // SPAN-8; what it would take alone is not known here
    const instant at{place_.at.ns + some.longest.ns, place_.at.burdened + some.longest.burdened + steals};
    if (place_.row != nullptr) place_.row->ended(at);
    if (group_ != nullptr) return group_->ended(some.work, at);
    words<P>().sums->work(some.work);
    words<P>().sums->ended(at);
  }
  /// All iterations are done. Only now is the loop's task written to the recording.
  void ended() {
    stream<P>* const out = words<P>().own_out;
    start_.row = {};
    if (start_.number == 0 || out == nullptr) return;
    const measured_pause<P> here;
    out->put(op::segment, start_.number);
    out->put_loop(start_.where, place_.number, size_);
    out->put(op::loop_end, place_.number);
    out->put(op::end);
  }

 private:
  task_start<P> start_;
  measured_group<P>* group_ = nullptr;
  std::uint64_t first_ = 0, size_ = 0;
  loop_place<P> place_{};
};

/// A piece of a spawned loop, while one worker executes it. Its end adds what it has taken, also where the body throws.
template <class P>
class measured_piece {
 public:
  explicit measured_piece(measured_spawned_loop<P>& of) : of_(of) {}
  measured_piece(const measured_piece&) = delete;
  measured_piece& operator=(const measured_piece&) = delete;
  ~measured_piece() { of_.ran(timer_.sums()); }

  /// As block_timer::run.
  template <class Step>
  void run(std::uint64_t first, std::uint64_t n, Step step) {
    timer_.run(of_.place(), first - of_.first(), n, step);
  }

 private:
  measured_spawned_loop<P>& of_;
  block_timer<P> timer_;
};

}  // namespace leat::inline LEAT_ABI::strands
