// Spawned loops: splittable tasks of which nobody waits for the parts (thesis 5.2, 5.4.2). Rules LOOP-8 to LOOP-10:
// docs/guide/loops.md.
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
#include "leat/task/spawn.hpp"
#include "leat/task/task_group.hpp"

namespace leat::loop {

/// A spawned loop: its body, in a block of the worker's that spawned it, which the last of its parts gives back.
template <class P, class Index, class Body>
class spawned {
  using worker = scheduler::worker<P>;
  using group = task::task_group<P>;

 public:
  /// \param into  the group that its parts are tasks of; null: plain tasks of the run
  template <class F>
  spawned(F&& body, const options<P>& o, group* into, memory::block_home<P>* home)
      : body_(std::forward<F>(body)), least_(o.chunk_min), stop_(o.stop), group_(into), home_(home) {}
  spawned(const spawned&) = delete;
  spawned& operator=(const spawned&) = delete;

  /// Adds the loop over `all`, which is not empty, to the tasks of `me`. Throws what copying the body or allocating throws.
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
    try {
      made->add(me, all);
    } catch (...) {
      made->end();
      throw;
    }
  }

 private:
  /// LOOP-8: indices that have not been executed, as a task. Whoever has one of its parts may use the loop.
  struct piece {
    spawned* loop;
    Index first;
    Index last;

    std::uint64_t size() const noexcept { return block<Index>(first, last).size(); }
    void operator()() const { (*this)(false); }
    void operator()(bool skip) const {
      keeper mine(*loop);
      if (!skip) loop->execute(*worker::current(), {first, last}, mine);
    }
  };
  static_assert(scheduler::record::fits<piece> && scheduler::record::fits_owned<piece>);

  /// LOOP-9: who executes a part, with the right that came with it, and those that it has for the parts that it cuts
  /// off.
  class keeper {
   public:
    explicit keeper(spawned& of) noexcept : of_(of) {}
    keeper(const keeper&) = delete;
    keeper& operator=(const keeper&) = delete;
    ~keeper() {
      // acq_rel: what others did with the loop comes before its end.
      if (is_alone() || of_.rights_.fetch_sub(rights_, platform::acq_rel) == rights_) of_.end();
    }

    /// One for a part.
    void lend() noexcept {
      if (rights_ == 1) {
        // relaxed, both: who has one keeps the loop alive.
        if (is_alone()) of_.rights_.store(1 + at_once, platform::relaxed);
        else of_.rights_.fetch_add(at_once, platform::relaxed);
        rights_ += at_once;
      }
      --rights_;
    }
    void take_back() noexcept { ++rights_; }

   private:
    static constexpr std::uint64_t at_once = 16;

    // Nobody else has any then, and so nobody else changes how many there are. acquire: what others did with the loop is over;
    // pairs with the fetch_sub above. (Also before a store, which ends what that released.)
    bool is_alone() const noexcept { return of_.rights_.load(platform::acquire) == rights_; }

    spawned& of_;
    std::uint64_t rights_ = 1;
  };

  // For good, once the token has said so: its group may be used again before all pieces have been begun.
  bool stopped() noexcept {
    // relaxed, both: a hint, as shared::stopped
    if (stopped_.load(platform::relaxed) != 0) return true;
    if (!stop_.stop_requested()) return group_ != nullptr && group_->cancelled();
    stopped_.store(1, platform::relaxed);
    return true;
  }

  void add(worker& me, const block<Index>& b) {
    const piece task{this, b.first(), b.last()};
    if (group_ != nullptr) group_->spawn_told(task);
    else me.runner.spawn(task);
  }

  // Leaves `b` to whoever takes it first, maybe this worker.
  void leave(worker& me, const block<Index>& b, keeper& rights) {
    rights.lend();
    try {
      add(me, b);
    } catch (...) {
      rights.take_back();
      throw;
    }
  }

  // LOOP-8: the part that was left last, if it begins at `first`. Where it ends.
  std::optional<Index> take_back(worker& me, Index first, keeper& rights, std::uint64_t since) {
    const auto next = [&](const piece& p) { return p.loop == this && p.first == first; };
    std::optional<piece> taken;
    if (group_ != nullptr) {
      taken = group_->template take_back<piece>(me, next, since);
    } else {
      const auto mine = [&](scheduler::record& r) {
        const piece* const p = r.template kept<piece>();
        return p != nullptr && next(*p);
      };
      if (scheduler::record* const r = me.runner.take_back_if(mine, since)) taken = *r->template kept<piece>();
    }
    if (!taken) return std::nullopt;
    rights.take_back();
    return taken->last;
  }

  void execute(worker& me, block<Index> b, keeper& rights) {
    const std::uint64_t since = me.stack().tasks.end_index();
    chunk_clock<P> clock(least_);
    try {
      while (!stopped()) {
        if (me.stack().tasks.asked_in_earnest()) clock.restart();  // LOOP-10
        while (b.size() < clock.size()) {
          const auto last = take_back(me, b.last(), rights, since);
          if (!last) break;
          b = {b.first(), *last};
        }
        if (b.size() == 0) return;
        leave_upper_parts(me, b, clock.size(), rights);
        const auto next = take_lower(b, std::min(clock.size(), b.size()));
        run_chunk(next);
        clock.ran(next.size());
      }
    } catch (...) {
      stopped_.store(1, platform::relaxed);  // relaxed: a hint
      throw;
    }
  }

  // LOOP-8. Where memory is short, all is for this worker.
  void leave_upper_parts(worker& me, block<Index>& b, std::uint64_t chunk, keeper& rights) {
    try {
      while (b.size() > chunk && b.size() / 2 >= least_) {
        const block<Index> lower_half = lower(b, b.size() - b.size() / 2);
        leave(me, {lower_half.last(), b.last()}, rights);
        b = lower_half;
      }
    } catch (const std::bad_alloc&) {
    }
  }

  void run_chunk(const block<Index>& b) {
    if constexpr (takes_index<Body, Index>) for_each_index(b, body_);
    else as_function(body_)(b);
  }

  void end() noexcept {
    memory::block_home<P>* const home = home_;
    this->~spawned();
    worker::template recycle<spawned>(this, home);
  }

  Body body_;
  const std::uint64_t least_;
  const task::stop_token<P> stop_;
  group* const group_;
  memory::block_home<P>* const home_;
  typename P::template atomic<std::uint32_t> stopped_{0};
  typename P::template atomic<std::uint64_t> rights_{1};
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

}  // namespace leat::loop
