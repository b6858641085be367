// Tasks that any worker of a rank may take. docs/internals/cluster.md, rules SEAT.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/cluster/arena.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// Some tasks, oldest first, behind a lock. A call that finds it taken returns false at once. Thread safety: all of it.
template <class P, class Task>
class open_tasks {
 public:
  /// SEAT-9: how many rows of a rank have tasks. A hint to others; the worker that adds to a row reads no 0 while it has tasks.
  using rows_with_some = typename P::template atomic<std::uint32_t>;

  /// `with_some` counts this row while it has tasks, and outlives the row.
  explicit open_tasks(rows_with_some& with_some) : with_some_(with_some) {}

  /// How many tasks there are. A hint, unless no other worker may add or take any.
  std::size_t size() const noexcept {
    return size_.load(platform::acquire);  // SEAT-3; pairs with the release at the end of a call
  }

  /// Moves half of these tasks here (arena::move_half). Returns whether: not while another worker moves tasks here.
  bool add_half_of(arena<Task>& from) {
    return inside([&from](arena<Task>& here) { return from.move_half(here), true; });
  }

  /// Moves all of these tasks here. Returns whether.
  bool add_all_of(arena<Task>& from) {
    return inside([&from](arena<Task>& here) { return from.move_all(here), true; });
  }

  /// A thief moves half of the tasks, at least one, to the head of its row. Returns whether it got some: not while another worker
  /// moves tasks here.
  bool take_half(arena<Task>& to) {
    return size() != 0 && inside([&to](arena<Task>& here) {
             const std::size_t before = to.size();
             if (here.size() == 1) here.move_all(to);
             else here.move_half(to);
             return to.size() != before;  // a thief may have been faster
           });
  }

  /// The owner moves all tasks back to the head of its row. Returns whether it got some, as take_half does.
  bool take_all(arena<Task>& to) {
    return size() != 0 && inside([&to](arena<Task>& here) {
             const std::size_t before = to.size();
             here.move_all(to);
             return to.size() != before;  // as above
           });
  }

 private:
  // What f makes of the tasks; false if another worker moves tasks here.
  template <class F>
  bool inside(const F& f) {
    if (locked_.load(platform::relaxed) != 0) return false;  // relaxed: a hint
    if (locked_.exchange(1, platform::acquire) != 0)
      return false;  // pairs with the release of the worker that moved tasks here last
    const opened after{*this};
    return f(tasks_);
  }

  // Also when moving a task throws.
  struct opened {
    open_tasks& of;
    ~opened() {
      const bool had = of.size_.load(platform::relaxed) != 0;  // relaxed: the lock orders it
      const bool has = of.tasks_.size() != 0;
      // relaxed: a hint, and the owner's own writes come in its order
      if (has && !had) of.with_some_.fetch_add(1, platform::relaxed);
      // release: pairs with the load in rank_tasks::find; the taker has begun to work
      if (had && !has) of.with_some_.fetch_sub(1, platform::release);
      of.size_.store(of.tasks_.size(), platform::release);  // pairs with size()
      of.locked_.store(0, platform::release);  // pairs with the exchange in inside
    }
  };

  rows_with_some& with_some_;
  alignas(platform::cache_line) typename P::template atomic<std::size_t> size_{0};
  typename P::template atomic<std::uint32_t> locked_{0};
  arena<Task> tasks_;
};

}  // namespace leat::inline LEAT_ABI::ranks
