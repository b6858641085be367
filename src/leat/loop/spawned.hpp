// Spawned loops: splittable tasks whose parts no join awaits (thesis 5.2, 5.4.2). Rules LOOP-8 to LOOP-12,
// LOOP-15: docs/internals/loops.md.
//
// A loop that is joined (splittable.hpp) leaves its upper part in the frame of the worker that executes the lower
// one, which waits. A spawned loop returns at once, so its body needs a place of its own, and a count of those that
// use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "leat/loop/chunk_clock.hpp"
#include "leat/loop/each.hpp"
#include "leat/loop/options.hpp"
#include "leat/memory/block_cache.hpp"
#include "leat/platform/order.hpp"
#include "leat/scheduler/footing.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/spawn.hpp"
#include "leat/task/task_group.hpp"

namespace leat::inline LEAT_ABI::loop {

/// A spawned loop: its body, in a block of memory of the worker that spawned it. The worker that ends the last piece
/// destroys the body and gives the block back.
template <class P, class Index, class Body>
class spawned {
  using worker = scheduler::worker<P>;
  using group = task::task_group<P>;

 public:
  /// \param into  the group that its pieces are tasks of; null: plain tasks of the run
  /// \param home  where the block of memory goes back to
  template <class F>
  spawned(F&& body, const options<P>& o, group* into, memory::block_home<P>* home)
      : body_(std::forward<F>(body)), least_(o.chunk_min), split_(o.split), stop_(o.stop), group_(into), home_(home) {}
  spawned(const spawned&) = delete;
  spawned& operator=(const spawned&) = delete;

  /// Adds the loop over `all`, which is not empty, to the tasks of `me`. One allocation from the worker's block
  /// cache.
  /// \throws what copying the body or allocating throws; then there is no loop
  template <class F>
  static void spawn(worker& me, group* into, const block<Index>& all, F&& body, const options<P>& o) {
    const typename scheduler::footing<P>::knowing worker_here(me);  // copying may call anything
    auto& blocks = me.blocks;
    void* const place = blocks.template allocate<spawned>();
    spawned* made = nullptr;
    try {
      made = ::new (place) spawned(std::forward<F>(body), o, into, blocks.home());
    } catch (...) {
      blocks.template release<spawned>(place, blocks.home());
      throw;
    }
    [[maybe_unused]] const strands::making<P> here;
    if constexpr (strands::profiles<P>) made->begin_measuring(here, all);
    try {
      made->add(me, all, std::max<std::uint32_t>(static_cast<std::uint32_t>(me.workers()), 2), piece::whole);
    } catch (...) {
      made->end();
      throw;
    }
  }

 private:
  /// LOOP-8: indices that have not been executed, as a task. Each piece has a right to the loop, which keeps it
  /// alive.
  struct piece {
    spawned* loop;
    Index first;
    Index last;
    std::uint32_t shares;  // into how many it is cut, if guided
    protocol::worker_id left_by;  // the worker that cut it off, or `whole`

    static constexpr protocol::worker_id whole = UINT32_MAX;  // the piece is the loop, from which nothing was cut

    std::uint64_t size() const noexcept { return block<Index>(first, last).size(); }
    // It was cut off for another worker, which executes it.
    void count_if_split(worker& me) const noexcept {
      if (left_by != whole && left_by != me.id()) me.counts.add(event::splits);
    }
    void operator()() const { (*this)(false); }
    // As a task of a group it is called with `skip` if the group was cancelled. Then only its right is given back,
    // which a cancelled loop needs, too, to end.
    void operator()(bool skip) const {
      keeper mine(*loop);
      if (skip) return;
      worker& me = *worker::current();
      count_if_split(me);
      loop->execute(me, {first, last}, shares, mine);
    }
  };
  static_assert(work::record::fits<piece> && work::record::fits_owned<piece>);

  /// LOOP-9: the rights of a worker that executes a piece: the piece's own, and some for pieces that it leaves. It is
  /// on that worker's stack, and no other thread touches it.
  class keeper {
   public:
    explicit keeper(spawned& of) noexcept : of_(of) {}
    keeper(const keeper&) = delete;
    keeper& operator=(const keeper&) = delete;
    ~keeper() {
      // acq_rel: release, as another worker may end the loop after this one's use; acquire, as this one may end it
      // after theirs.
      if (is_alone() || of_.rights_.fetch_sub(rights_, platform::acq_rel) == rights_) of_.end();
    }

    /// Gives one right to a piece that is about to be added. It keeps one, so that the loop lives until this piece is
    /// done, whatever thieves do with the others. Rights are taken at_once at a time: one read-modify-write for
    /// sixteen pieces at most, and none while no other worker has any.
    void lend() noexcept {
      if (rights_ == 1) {
        // relaxed, both: this worker's right keeps the loop alive, and nothing is read because of the count.
        if (is_alone()) of_.rights_.store(1 + at_once, platform::relaxed);
        else of_.rights_.fetch_add(at_once, platform::relaxed);
        rights_ += at_once;
      }
      --rights_;
    }
    /// The right of a piece that was not added, or that was taken back.
    void take_back() noexcept { ++rights_; }

   private:
    static constexpr std::uint64_t at_once = 16;

    // Whether all rights are this worker's. Then no other worker can change their number, and a plain store may.
    // acquire: what others did with the loop is over; pairs with the fetch_sub above. (Also before a store, which
    // ends the release sequence of the fetch_sub.)
    bool is_alone() const noexcept { return of_.rights_.load(platform::acquire) == rights_; }

    spawned& of_;
    std::uint64_t rights_ = 1;
  };

  // Whether no further chunk is to begin. For good, once the token has said so: its group may be used again before
  // all pieces have been begun.
  bool stopped() noexcept {
    // relaxed, both: a hint, as in shared::stopped (splittable.hpp)
    if (stopped_.load(platform::relaxed) != 0) return true;
    if (!stop_.stop_requested()) return group_ != nullptr && group_->cancelled();
    stopped_.store(1, platform::relaxed);
    return true;
  }

  // Pushes the piece, which must have a right already: a thief may take it and end it at once.
  void add(worker& me, const block<Index>& b, std::uint32_t shares, protocol::worker_id left_by) {
    const piece task{this, b.first(), b.last(), shares, left_by};
    if (group_ != nullptr) group_->spawn_told(task);
    else me.runner.spawn(task);
  }

  // Leaves `b` to the worker that takes it first, maybe this one. The right is lent before the push, see add.
  void leave(worker& me, const block<Index>& b, std::uint32_t shares, keeper& rights) {
    rights.lend();
    try {
      add(me, b, shares, me.id());
    } catch (...) {
      rights.take_back();
      throw;
    }
  }

  // LOOP-8: takes back the piece that was left last, if it begins at `first`. Returns where it ends. Any other task
  // on top, such as one that the body spawned, stays: it is newer than the pieces, which wait for their turn beneath
  // it.
  // `since`: see runner::take_back_if.
  std::optional<Index> take_back(worker& me, Index first, keeper& rights, std::uint64_t since) {
    const auto next = [&](const piece& p) { return p.loop == this && p.first == first; };
    std::optional<piece> taken;
    if (group_ != nullptr) {
      taken = group_->template take_back<piece>(me, next, since);
    } else {
      const auto mine = [&](work::record& r) {
        const piece* const p = r.template kept<piece>();
        return p != nullptr && next(*p);
      };
      if (work::record* const r = me.runner.take_back_if(mine, since)) taken = *r->template kept<piece>();
    }
    if (!taken) return std::nullopt;
    rights.take_back();
    taken->count_if_split(me);  // one steal may bring neighbours
    return taken->last;
  }

  // Executes `b` in chunks, and leaves upper parts of the rest as pieces (LOOP-8). The next chunk is made from pieces
  // taken back, until it has the size that the clock wants. It ends when the next piece is gone, or the loop is stopped.
  void execute(worker& me, block<Index> b, std::uint32_t shares, keeper& rights) {
    const std::uint64_t since = me.stack().tasks.end_index();
    chunk_clock<P> clock(least_);
    try {
      while (!stopped()) {
        if (is_asked(me)) {
          clock.restart();
          if (me.published == nullptr || checks_each(me)) cut_anew(me, b, clock.size(), shares, rights, since);
        }
        if (b.size() < clock.size()) take_back_up_to(clock.size(), me, b, rights, since);
        if (b.size() == 0) return;
        leave_upper_parts(me, b, clock.size(), shares, rights);
        const std::uint64_t ran = run_chunk(me, lower(b, std::min(clock.size(), b.size())));
        take_lower(b, ran);
        clock.ran(ran);
      }
    } catch (...) {
      stopped_.store(1, platform::relaxed);  // relaxed: a hint
      throw;
    }
  }

  // Adds pieces to `b`, until it has that size, or the next one is gone.
  void take_back_up_to(std::uint64_t size, worker& me, block<Index>& b, keeper& rights, std::uint64_t since) {
    while (b.size() < size) {
      const auto last = take_back(me, b.last(), rights, since);
      if (!last) return;
      b = {b.first(), *last};
    }
  }

  // LOOP-10: thieves ask. All that is left is cut again, so that they get equal shares. Under `prell` their requests wait meanwhile; the
  // thieves of LCWS come by themselves, for the piece that was shown to them.
  void cut_anew(worker& me, block<Index>& b, std::uint64_t chunk, std::uint32_t shares, keeper& rights,
                std::uint64_t since) {
    const holding requests(me);
    take_back_up_to(UINT64_MAX, me, b, rights, since);
    leave_upper_parts(me, b, chunk, shares, rights);
  }

  // While it lives, requests to `me` wait, if its scheduler is a published one.
  class holding {
   public:
    explicit holding(worker& me) : by_(me.published), outer_(by_ != nullptr && by_->hold_requests(true)) {}
    holding(const holding&) = delete;
    holding& operator=(const holding&) = delete;
    ~holding() {
      if (by_ != nullptr) by_->hold_requests(outer_);
    }

   private:
    work::processor<P>* const by_;
    const bool outer_;  // they waited already: a task on a full deque is executed at once, inside
  };

  static bool checks_each(worker& me) { return me.published != nullptr && me.published->checks_each_iteration(); }

  // LOOP-10: whether a thief wants tasks.
  static bool is_asked(worker& me) {
    return me.stack().tasks.is_poll_requested() || (me.published != nullptr && me.published->unserved() != 0);
  }

  // LOOP-8: leaves the upper part of `b`, then that of the rest, and so on until a chunk is left. The lowest piece is
  // the newest task, so it is taken back first, and a thief takes the uppermost. Where memory is short, the rest is for
  // this worker.
  void leave_upper_parts(worker& me, block<Index>& b, std::uint64_t chunk, std::uint32_t shares, keeper& rights) {
    try {
      while (b.size() > chunk && b.size() / 2 >= least_) {
        const block<Index> lower_part = lower(b, b.size() - upper_size(me, b.size(), shares));
        leave(me, {lower_part.last(), b.last()}, std::max<std::uint32_t>(shares - 1, 2), rights);
        shares = 2;  // what is left in turn is halved
        b = lower_part;
      }
    } catch (const std::bad_alloc&) {
    }
  }

  // LOOP-10: how many of `size` indices are left to others. `adaptive`: of k thieves that ask, and whom no task at hand
  // is for, each gets one share of k + 1: this piece is the first.
  std::uint64_t upper_size(worker& me, std::uint64_t size, std::uint32_t shares) const {
    std::uint64_t upper = size / 2;
    if (split_ == splitting::guided) upper = size - size / shares;
    if (split_ == splitting::adaptive && is_asked(me))
      upper = size / (std::max<std::size_t>(me.responder.unserved(shares_max), 1) + 1);
    return std::clamp(upper, least_, size - least_);
  }

  // LOOP-15: executes a chunk; but no further than to a request, if the scheduler checks after each index. Returns how
  // many indices it has executed.
  std::uint64_t run_chunk(worker& me, block<Index> b) {
    const std::uint64_t all = b.size();
    if (checks_each(me)) {
      do run(take_lower(b, std::min(least_, b.size())));
      while (b.size() != 0 && me.published->unserved() == 0);
      return all - b.size();
    }
    run(b);
    return all;
  }

  void run(const block<Index>& b) {
    if constexpr (strands::profiles<P>) {
      if (measured_.made()) return run_measured(b);
    }
    run_here(b);
  }

  void run_here(const block<Index>& b) {
    if constexpr (takes_index<Body, Index>) for_each_index(b, body_);
    else as_function(body_)(b);
  }

  void begin_measuring(const strands::making<P>& here, const block<Index>& all) {
    here.made(measured_, group_ == nullptr ? nullptr : &group_->sums(), static_cast<std::uint64_t>(all.first()),
              all.size(), least_);
  }
  void run_measured(const block<Index>& b) {
    block<Index> left = b;
    strands::measured_piece<P>(measured_).run(static_cast<std::uint64_t>(b.first()), b.size(),
                                              [&](std::uint64_t n) { return run_here(take_lower(left, n)), n; });
  }

  // The last right was given back. The home is read first, as it lies in the object.
  void end() noexcept {
    if constexpr (strands::profiles<P>) measured_.ended();
    memory::block_home<P>* const home = home_;
    this->~spawned();
    worker::template recycle<spawned>(this, home);
  }

  // Thieves that get equal shares at once, at most.
  static constexpr std::size_t shares_max = 128;

  Body body_;
  const std::uint64_t least_;
  const splitting split_;
  const task::stop_token<P> stop_;
  group* const group_;
  memory::block_home<P>* const home_;
  typename P::template atomic<std::uint32_t> stopped_{0};
  typename P::template atomic<std::uint64_t> rights_{1};
  [[no_unique_address]] strands::spawned_loop<P> measured_;
};

/// See leat::spawn_for.
template <class P, class Index, class Body>
void spawn_block(task::task_group<P>* into, const block<Index>& all, Body&& body, const options<P>& o) {
  static_assert(std::is_constructible_v<std::decay_t<Body>, Body>,
                "leat::spawn_for: body is copied into the tasks; move what cannot be copied (std::move)");
  auto& me = task::this_worker<P>("spawn_for");
  check(o, "spawn_for");
  if (all.size() == 0) return;
  spawned<P, Index, std::decay_t<Body>>::spawn(me, into, all, std::forward<Body>(body), o);
}

}  // namespace leat::inline LEAT_ABI::loop
