// How a wait finds the tasks that belong to what it awaits, among the others in a worker's deque.
//
// Strangers' tasks stay where they are. A task taken from beneath some leaves a tombstone, a record that does nothing.
// The search goes from the newest task down. New tasks may lie above what it has searched, and have to be searched
// first, so the searched tasks are intervals: the last one is in the cursor, and each tombstone that has an older
// interval beneath it remembers that one. So a record is visited once however many tasks are found. Rules, cited in the
// code:
//  SEARCH-1  No task of [low, high) belongs to the owner. Below `low` is unknown ground, down to where the tombstone
//      at low - 1 says that the interval before is.
//  SEARCH-2  If others popped searched tasks and pushed on, an interval may be wrong, or a tombstone gone. A caller
//      that must not miss a task searches once more with a fresh cursor before it gives up.
#pragma once

#include <cstdint>
#include <new>

#include "leat/work/record.hpp"

namespace leat::inline LEAT_ABI::work {

/// Tasks, by their indices in a deque.
struct searched {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// What is left of a task that was taken from beneath others.
struct tombstone {
  std::uint64_t cursor;  // the search that left it; 0: there is no interval to remember
  searched before;

  static void call(record&) {}

  void write(record& r) const {
    ::new (static_cast<void*>(r.payload)) tombstone(*this);
    r.invoke = call;
  }
  static const tombstone* in(record& r) {
    return r.invoke == &call ? std::launder(reinterpret_cast<const tombstone*>(r.payload)) : nullptr;
  }
};
static_assert(sizeof(tombstone) <= record::payload_bytes);

/// One search of the tasks of Deque for those of one owner.
template <class Deque>
class owned_search {
 public:
  /// \param cursor  a number that no other search of the deque has had
  owned_search(Deque& tasks, std::uint64_t cursor) : tasks_(tasks), cursor_(cursor) {}

  /// Whether everything is yet to be searched.
  bool fresh() const noexcept { return last_.high == 0; }
  void start_over() noexcept { last_ = {}; }

  /// Takes the newest task for which owned(record&) is true. Amortised O(1) for each task in the deque. Returns whether
  /// there was one. `popped` is increased by the number of records that left the deque: a tombstone stands for its task
  /// until it is popped.
  template <class Owned>
  bool take(Owned owned, record& taken, std::uint64_t& popped) {
    popped += drop_tombstones();
    const std::uint64_t bottom = tasks_.oldest_index();
    const std::uint64_t top = tasks_.end_index();
    // Searched tasks may have been popped since (SEARCH-2).
    if (last_.high > top) last_.high = top;
    if (last_.low > last_.high) last_.low = last_.high;
    std::uint64_t at = top;
    searched before = last_;
    // Above the last interval, then beneath it, then beneath those before.
    for (;;) {
      const std::uint64_t end = before.high > bottom ? before.high : bottom;
      for (; at > end; --at) {
        record& r = tasks_.at(at - 1);
        if (owned(r)) {
          taken = r;
          popped += at == top;
          take_out(at - 1, top, before);
          return true;
        }
      }
      if (before.low < at) at = before.low;
      if (at <= bottom) break;
      const tombstone* h = tombstone::in(tasks_.at(at - 1));
      before = h != nullptr && h->cursor == cursor_ ? h->before : searched{};
      if (before.high >= at) before = {};  // SEARCH-2
    }
    last_ = {bottom, top};
    return false;
  }

 private:
  void take_out(std::uint64_t at, std::uint64_t top, searched before) {
    if (at + 1 == top) {
      tasks_.pop_without_poll();
      // Nothing lies above an interval but what has been searched: all is beneath it now.
      last_ = before;
      return;
    }
    if (before.high == at && before.low < before.high) {
      tombstone{0, {}}.write(tasks_.at(at));
      last_ = {before.low, top};  // the tombstone joins two intervals
    } else {
      tombstone{cursor_, before}.write(tasks_.at(at));
      last_ = {at + 1, top};
    }
  }

  // Tombstones on top are of no use but for what ours remember.
  std::uint64_t drop_tombstones() {
    std::uint64_t dropped = 0;
    for (;; ++dropped) {
      record* newest = tasks_.newest();
      const tombstone* h = newest == nullptr ? nullptr : tombstone::in(*newest);
      if (h == nullptr) return dropped;
      const std::uint64_t at = tasks_.end_index() - 1;
      if (h->cursor == cursor_ && last_.low == at + 1) last_ = h->before;
      tasks_.pop_without_poll();
    }
  }

  Deque& tasks_;
  const std::uint64_t cursor_;
  searched last_;
};

}  // namespace leat::inline LEAT_ABI::work
