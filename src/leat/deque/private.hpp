// The private deque: tasks that only their worker touches, and the one word by which others ask for some.
//
// Push and pop cost no fence and no read-modify-write. Stealing is done by the owner on the thief's behalf (thesis
// 3.5.3): a run of the oldest tasks is lent to the thief where it lies, by one message, whatever its length.
//
//      base            bottom_                  top_              end
//       | lent or free   | tasks, oldest first    | free            |
//
// Rules, cited in the code:
//  DEQUE-1  Only the owner moves top_ and bottom_. [bottom_, top_) are its tasks, but for those that are public
//      (DEQUE-5).
//  DEQUE-2  limit_ is bottom_; or, above every slot, `signalled` when a request is pending, or `reminded`, the
//      owner's note to itself to poll. A thief signals after sending its request. Only the owner acknowledges, and
//      overwrites no signal but by that. Every change is a read-modify-write. Each acquires and releases, except
//      where the owner moves an unsignalled limit or rearms. Why: each sees what came before those before it, so a
//      request sent before a signal is seen by the poll that acknowledges it.
//  DEQUE-3  A slot below bottom_ is not written again, nor its memory freed, while a lent run may still be read: not
//      before every run that was lent has been given back.
//  DEQUE-4  A push writes its slot before it moves top_. A pop moves top_, claiming the slot, before it reads limit_;
//      if limit_ says that the slot was lent meanwhile, it takes the claim back. All else is not interrupted
//      (INTERRUPT-1). Why: a signal's handler that polls may interrupt the owner in the middle of a push or a pop
//      (see docs/internals/interrupts.md). It moves bottom_ and limit_, and never top_ (INTERRUPT-2). A claim may
//      leave top_ one slot below bottom_ for the handler to find: the deque is empty then.
//  DEQUE-5  The oldest tasks may be public (public_part.hpp): thieves take them by themselves, and give each back
//      when they have copied it (DEQUE-3). They lie below bottom_ meanwhile, as if lent; a pop that comes to bottom_
//      closes that part, or takes its newest task back (PUBLIC-3). Or all tasks are: then limit_ is above every slot, and each push and pop has a second
//      part.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "leat/deque/public_part.hpp"
#include "leat/deque/slot_memory.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::deque {

/// A deque of `capacity` slots of the trivially copyable type T; its owner decides whether it grows. Every
/// function but `signal`, `give_back`, `steal` and `is_signalled` is for the owner alone.
template <class P, class T>
class private_deque {
  static_assert(std::is_trivially_copyable_v<T>, "tasks move between workers as bytes");

 public:
  /// Tasks of one owner that lie next to each other, oldest first.
  struct run {
    T* first = nullptr;
    std::size_t count = 0;
    bool last = false;  ///< of one that was stolen: nothing else was public
  };

  /// `all_public`: whether all tasks are (DEQUE-5). Memory for the slots is reserved, not touched. Throws
  /// std::invalid_argument for capacity 0, std::bad_alloc.
  explicit private_deque(std::size_t capacity, bool all_public = false) : all_public_(all_public) {
    if (capacity == 0) throw std::invalid_argument("leat: a deque needs a capacity of at least 1, got 0");
    base_ = memory_.allocate(capacity);
    end_ = base_ + capacity;
    top_ = bottom_ = base_;
    limit_.store(unsignalled(), platform::relaxed);  // relaxed: no other thread knows the deque yet
  }

  private_deque(const private_deque&) = delete;
  private_deque& operator=(const private_deque&) = delete;
  ~private_deque() {
    memory_.free_retired();
    memory_.free(base_);
  }

  /// The slot that the next push fills, or null when the deque is full. O(1), amortised when tasks are moved down.
  T* room() noexcept {
    if (top_ == end_) [[unlikely]]
      return make_room() ? top_ : nullptr;
    return top_;
  }

  /// Whether the next push fills a slot that is there; else `room` may make some, or grow.
  bool full() const noexcept { return top_ == end_; }

  /// The slot that the next push fills, if the deque is not full.
  T* free_slot() noexcept { return top_; }

  /// Makes a full deque twice as large. O(size). False if memory does not suffice; the deque is then as before.
  bool grow() noexcept {
    const std::size_t count = size();
    T* larger = nullptr;
    try {
      larger = memory_.allocate(2 * capacity());
    } catch (const std::bad_alloc&) {
      return false;
    }
    std::memcpy(static_cast<void*>(larger), bottom_, count * sizeof(T));
    origin_ = oldest_index();
    memory_.retire(base_);  // what was lent lies in the old slots (DEQUE-3)
    end_ = larger + 2 * capacity();
    base_ = larger;
    top_ = base_ + count;
    move_bottom(base_);
    return true;
  }

  /// Adds the slot that room() returned. O(1), no synchronisation.
  void push() noexcept {
    P::signal_fence();  // DEQUE-4: the slot has been written
    ++top_;
    P::signal_fence();  // DEQUE-4: one move of top_ at a time
    P::prefetch(top_, ahead_bytes);
  }

  /// Takes the newest task, unless there is none or a poll is due: then null, and `pop_without_poll` tells which.
  /// The slot stays as it is until the next push.
  T* pop() noexcept {
    T* newest = top_ - 1;
    top_ = newest;
    P::signal_fence();  // DEQUE-4: claimed before limit_ is read
    // relaxed: limit_ only says whether to poll; the poll acquires (DEQUE-2).
    if (word(newest) < limit_.load(platform::relaxed)) [[unlikely]] {
      top_ = newest + 1;
      return nullptr;
    }
    P::prefetch(newest, -ahead_bytes);
    return newest;
  }

  /// Takes the newest task, or null when there is none. Not to be interrupted (DEQUE-4).
  T* pop_without_poll() noexcept { return top_ == bottom_ ? nullptr : --top_; }

  /// The newest task, which stays where it is, or null when there is none.
  T* newest() noexcept { return top_ == bottom_ ? nullptr : top_ - 1; }

  /// Whether the owner is to poll. Exact after a push. One push or pop may miss a signal, the next one does not.
  bool is_poll_due() const noexcept { return limit_.load(platform::relaxed) > word(top_); }  // relaxed: as in pop

  /// The same where all is public, and is_poll_due() is true after every push: whether a thief has signalled, or the
  /// owner has noted that it is to poll again.
  bool is_poll_requested() const noexcept { return limit_.load(platform::relaxed) > every_pop; }  // relaxed: as in pop

  /// Whether another thread has signalled since the last poll. Any thread; a hint.
  bool is_signalled() const noexcept { return limit_.load(platform::relaxed) == signalled; }  // relaxed: a hint

  std::size_t size() const noexcept { return empty() ? 0 : static_cast<std::size_t>(top_ - bottom_); }
  bool empty() const noexcept { return top_ <= bottom_; }  // less: DEQUE-4

  /// How many tasks have been beneath a place in the deque since its beginning, wherever the tasks have moved: of the
  /// oldest task, and of the next that is pushed. What was pushed after a moment has an index of at least end_index() then.
  std::uint64_t oldest_index() const noexcept { return origin_ + static_cast<std::uint64_t>(bottom_ - base_); }
  std::uint64_t end_index() const noexcept { return origin_ + static_cast<std::uint64_t>(top_ - base_); }

  /// The task of that index, one of those in the deque.
  T& at(std::uint64_t index) noexcept { return base_[index - origin_]; }

  /// Begins a poll: what was sent before a signal is visible after it (DEQUE-2).
  void acknowledge() noexcept {
    acknowledged_ = unsignalled();
    limit_.exchange(acknowledged_, platform::acq_rel);  // pairs with signal
  }

  /// Ends a poll: puts limit_ where bottom_ has moved to, or, with `again`, has the next push or pop poll once more.
  void rearm(bool again) noexcept {
    if (again) return remind();
    if (unsignalled() == acknowledged_) return;
    std::uintptr_t expected = acknowledged_;
    // A failure means a new signal, which stays (DEQUE-2). relaxed: the poll that follows it acquires.
    limit_.compare_exchange_strong(expected, unsignalled(), platform::relaxed, platform::relaxed);
  }

  /// Asks the owner to poll. Any thread. Call it after the request was sent (DEQUE-2).
  void signal() noexcept { limit_.exchange(signalled, platform::acq_rel); }  // pairs with acknowledge

  /// Lends the `count` oldest tasks. O(1). The reader ends the loan with give_back.
  run lend(std::size_t count) noexcept {
    assert(count <= size());  // DEQUE-1
    const run lent{bottom_, count};
    bottom_ += count;
    ++lent_;
    return lent;
  }

  /// Ends a loan: the reader will not read it again. Any thread, once for each run.
  void give_back() noexcept { returned_.fetch_add(1, platform::release); }  // pairs with all_returned

  // -- the public part (DEQUE-5)

  /// Makes the `count` oldest private tasks public, too; or all, if it is a deque in which all are, of which this is the second part
  /// of each push.
  void open(std::size_t count) noexcept {
    assert(all_public_ || count <= size());
    T* const first = bottom_;
    if (!all_public_) shift_bottom(first + count);
    end_public_.store(all_public_ ? top_ : bottom_, platform::release);  // pairs with steal
    if (!public_.is_open()) public_.open(first);
  }

  /// What no thief has taken is the owner's alone. Returns how many were taken.
  std::uint64_t close() noexcept {
    if (!public_.is_open()) return 0;
    shift_bottom(public_.close());
    lent_ += static_cast<std::uint32_t>(public_.taken());
    return public_.taken();
  }

  /// Takes the newest public task back, without closing where that is not the oldest one, too; or none: null. No private
  /// task may lie above it. Not to be interrupted.
  T* pop_public() noexcept {
    if (!public_.is_open()) return nullptr;
    T* const newest = top_ - 1;
    end_public_.store(newest, platform::release);  // pairs with steal: a thief that reads it takes what lies beneath
    P::fence();  // PUBLIC-3; pairs with the fence in public_part::take
    if (!public_.begins_beneath(newest)) {
      // At most this one is left: thieves and the owner want the same, and closing decides.
      shift_bottom(public_.close_at(newest));
      lent_ += static_cast<std::uint32_t>(public_.taken());
      if (bottom_ > newest) {
        if (all_public_) open(0);
        return nullptr;
      }
    }
    top_ = newest;
    if (!all_public_) shift_bottom(newest);
    else if (!public_.is_open()) open(0);
    return newest;
  }

  /// The task that pop_public would take; null if thieves have taken all. It may be a thief's by now.
  T* newest_public() noexcept { return public_.is_open() && public_.begins_beneath(top_) ? top_ - 1 : nullptr; }

  /// How many there are that steal could take, one after the other. Any other worker; a hint.
  std::size_t seen_public() const noexcept {
    const std::uintptr_t oldest = word(public_.seen_oldest());
    const std::uintptr_t end = word(end_public_.load(platform::relaxed));  // relaxed: a hint
    return oldest == 0 || end <= oldest ? 0 : (end - oldest) / sizeof(T);
  }

  /// Takes the oldest public task for another worker, which copies it and gives it back; or none: a null run. wanted() is
  /// asked while the task is known to be public (EXPOSURE-1).
  template <class Wanted>
  run steal(Wanted wanted) noexcept {
    bool last = false;
    T* const oldest = public_.take([&](T* slot) {
      const T* const end = end_public_.load(platform::acquire);  // pairs with open, and pop_public
      last = word(slot + 1) >= word(end);
      return word(slot) < word(end) && wanted();
    });
    return {oldest, oldest == nullptr ? std::size_t{0} : 1, last};
  }

  // -- tasks from others

  /// Slots that take() could fill.
  std::size_t free_slots() const noexcept { return static_cast<std::size_t>(end_ - top_); }

  /// Copies as many of the oldest tasks of `lent` as fit, keeping their order, and returns how many.
  std::size_t take(run lent) noexcept {
    const std::size_t count = lent.count < free_slots() ? lent.count : free_slots();
    std::memcpy(static_cast<void*>(top_), lent.first, count * sizeof(T));
    top_ += count;
    return count;
  }

  /// An empty deque goes back to its first slot, if no loan stands against that (DEQUE-3). Not while a part is public.
  void rewind() noexcept {
    assert(!public_.is_open());
    if (top_ != bottom_ || bottom_ == base_ || !all_returned()) return;
    origin_ = oldest_index();
    top_ = base_;
    move_bottom(base_);
    memory_.free_retired();
  }

  std::size_t capacity() const noexcept { return static_cast<std::size_t>(end_ - base_); }

 private:
  // A deque that has outgrown the caches is written and read in long runs, as fast as memory allows if its lines are asked for
  // so far ahead. The core's own prefetching ends at each page.
  static constexpr std::ptrdiff_t ahead_bytes = std::ptrdiff_t{32} * platform::cache_line;

  // Above the address of every slot, wherever the slots are.
  static constexpr std::uintptr_t signalled = ~std::uintptr_t{0};

  static constexpr std::uintptr_t reminded = signalled - 1;
  static constexpr std::uintptr_t every_pop = signalled - 2;  // and every push has a second part

  // limit_ while no thief asks.
  std::uintptr_t unsignalled() const noexcept { return all_public_ ? every_pop : word(bottom_); }

  // The owner's own note. If it fails, limit_ is signalled, which is as good (DEQUE-2).
  void remind() noexcept {
    std::uintptr_t expected = limit_.load(platform::relaxed);  // relaxed: the exchange decides
    if (expected < reminded) {
      limit_.compare_exchange_strong(expected, reminded, platform::acq_rel, platform::relaxed);  // pairs with signal
    }
  }

  static std::uintptr_t word(const T* slot) noexcept { return reinterpret_cast<std::uintptr_t>(slot); }

  // To another slot of the same memory, up or down; a signal is kept.
  void shift_bottom(T* to) noexcept {
    std::uintptr_t expected = unsignalled();
    bottom_ = to;
    if (expected == unsignalled()) return;
    // A failure means a signal or a note, which stays (DEQUE-2). relaxed: the poll that follows it acquires.
    if (limit_.compare_exchange_strong(expected, unsignalled(), platform::relaxed, platform::relaxed))
      acknowledged_ = unsignalled();  // a poll under way has nothing to rearm
  }

  // To another slot, maybe of other memory; a signal is kept.
  void move_bottom(T* to) noexcept {
    bottom_ = to;
    const std::uintptr_t was = limit_.exchange(unsignalled(), platform::acq_rel);  // pairs with signal
    // Not ours to forget.
    if (was == signalled) signal();
    if (was == reminded) remind();
  }

  // acquire: the readers' last reads happen before we write the slots again (pairs with give_back).
  bool all_returned() const noexcept { return returned_.load(platform::acquire) == lent_; }

  // Moves the tasks down over slots that are free again; at least half the deque, so that a push stays O(1).
  [[gnu::noinline]] bool make_room() noexcept {
    const auto free = static_cast<std::size_t>(bottom_ - base_);
    if (free == 0 || free < capacity() / 2 || !all_returned()) return false;
    const std::size_t count = size();
    std::memmove(static_cast<void*>(base_), bottom_, count * sizeof(T));
    origin_ = oldest_index();
    top_ = base_ + count;
    move_bottom(base_);
    memory_.free_retired();
    return true;
  }

  const bool all_public_;
  public_part<P, T> public_;

  // The owner's words.
  T* top_;
  T* bottom_;
  T* base_;
  T* end_;
  std::uintptr_t acknowledged_ = 0;  // limit_ as the last poll, or a move of bottom_, left it
  slot_memory<P, T> memory_;
  std::uint64_t origin_ = 0;  // index of the first slot
  std::uint32_t lent_ = 0;

  // Words that others write, away from the owner's.
  alignas(platform::cache_line) typename P::template atomic<std::uintptr_t> limit_;
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> returned_{0};

  // Where the public part ends, for thieves.
  alignas(platform::cache_line) typename P::template atomic<T*> end_public_{nullptr};
};

}  // namespace leat::inline LEAT_ABI::deque
