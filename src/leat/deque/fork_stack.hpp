// The fork stack: what a worker has forked and not yet joined, newest on top, and the one word that a join compares.
//
// A fork writes a slot in place and a join gives it up again, both without fence or read-modify-write. Others get the
// oldest forks, by the owner's hand, when the owner polls. A fork that was given away is executed where it lies, and
// leaves its result there for the join.
//
//      base            bottom_                              top
//       | given away     | pending, oldest first            | free            |
//
// Rules, cited in the code:
//  FORK-1  Only the owner (its interrupt handler included) moves top and bottom_. Forks and joins nest: slots are
//      taken and given up at the top alone. So the slots given away are always the oldest ones, and a join of a slot
//      below bottom_ is the join of the newest slot given away.
//  FORK-2  The limit word is bottom_, or `signalled` when a request is pending. A join compares its slot's address
//      with it: one comparison tells whether the slot was given away and whether a request is pending. Others only
//      signal; each change is ordered as in the private deque (DEQUE-2).
//  FORK-3  In a plain stack pending slots lie below `top`, a word of the owner's thread. In a marked stack a slot is
//      in use if and only if its `call` is not null. A fork raises `top`, or writes `call`, last; a join lowers or
//      clears it before it reads the limit. A thief is told `call` by message. Why: a poll must know the pending
//      slots, also in a handler that interrupts the owner anywhere; in a marked stack top is in a register that no
//      poll can see. So a slot is either given away before the join reads the limit, or not at all (but see FORK-5).
//      By the time a thief begins, the join may have cleared
//      `call`.
//  FORK-4  A slot that was given away belongs to the worker that executes it until its `state` says that it is done;
//      then to the join, which leaves `state` as `none`.
//  FORK-5  Slots may be public (public_part.hpp): the oldest pending ones, which thieves take by themselves. In a
//      stack of which only some are, those lie below bottom_, so the joins of these come to the slow part. It
//      closes the public part, or takes one slot back (PUBLIC-3). Where all are, every join does, as the limit is then above all slots, and fences (PUBLIC-3).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "leat/deque/public_part.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/shared.hpp"

namespace leat::inline LEAT_ABI::deque {

/// One fork. It is never constructed: the memory is all zero at first, and then what the last fork left.
template <class P>
struct alignas(platform::cache_line) fork_slot {
  static constexpr std::size_t payload_bytes = 48;

  enum class outcome : std::uint32_t { none, done, failed };

  /// What calls that which was forked and leaves the result in the payload. `above`: the first marked slot that it may use.
  using call_type = void (*)(fork_slot& self, fork_slot* above);
  call_type call;
  alignas(void*) std::byte payload[payload_bytes];

  // Only when given away (FORK-4).
  typename P::template atomic<std::uint32_t> thief;  // the worker that was given it last, and may have it still
  typename P::template atomic<outcome> state;
};

/// The words of a thread whose plain forks lie in a fork stack.
template <class P>
struct LEAT_SHARED fork_words {
  fork_slot<P>* top;
  typename P::template atomic<std::uintptr_t> limit;
};

/// A stack of slots in one aligned block, so that a slot's address leads to what belongs to all of them.
template <class P>
class fork_stack {
 public:
  using slot = fork_slot<P>;
  using limit_word = typename P::template atomic<std::uintptr_t>;

  static_assert(sizeof(slot) == platform::cache_line);

  /// Address space of a block. A fork takes a slot of 64 bytes here, and at least 16 bytes of the C++ stack, which ends
  /// first, unless a program has made that larger than a quarter of this. If not, a fork in the context form faults behind
  /// the block, as a call does when the C++ stack ends; the plain form throws std::length_error.
  static constexpr std::size_t block_bytes = std::size_t{1} << 25;

  /// Forks that a worker may have pending, one inside the other.
  static constexpr std::size_t depth_max = block_bytes / sizeof(slot) - 1;

  /// What lies before the first slot.
  struct header {
    limit_word limit;
    void* owner;
  };
  static_assert(sizeof(header) <= sizeof(slot));

  [[gnu::always_inline]] static header& header_of(slot* s) noexcept {
    return *reinterpret_cast<header*>(reinterpret_cast<std::uintptr_t>(s) & ~(std::uintptr_t{block_bytes} - 1));
  }

  /// `owner` is what header_of tells; `all_public`, whether all pending slots are (FORK-5). Reserves address space,
  /// touches one page. Throws std::bad_alloc.
  explicit fork_stack(void* owner, bool all_public = false)
      : base_(static_cast<slot*>(P::reserve(block_bytes)) + 1),
        bottom_(base_),
        limit_(&header_of(base_).limit),
        all_public_(all_public),
        end_(base_) {
    header_of(base_).owner = owner;
    move_limit(*limit_);
  }

  fork_stack(const fork_stack&) = delete;
  fork_stack& operator=(const fork_stack&) = delete;
  ~fork_stack() { P::unreserve(base_ - 1, block_bytes); }

  /// Uses another word as limit from now on: the owner's own, which lives as long as others may signal.
  void move_limit(limit_word& to) noexcept {
    to.store(unsignalled(), platform::relaxed);  // relaxed: no thief signals yet
    limit_ = &to;
  }

  slot* base() const noexcept { return base_; }

  /// The oldest slot that was not given away, if it is in use (FORK-3).
  slot* bottom() const noexcept { return bottom_; }

  /// Whether the owner's slot was given away.
  bool given_away(const slot* s) const noexcept { return s < bottom_; }

  /// The first slot from `floor` on that is not in use, in a marked stack (FORK-3). O(log of their number).
  slot* top_of_marked(slot* floor) const noexcept {
    std::size_t in_use = 0;  // of those at floor, at least
    std::size_t step = 1;
    const std::size_t most = static_cast<std::size_t>(base_ + depth_max - floor);
    while (in_use + step <= most && floor[in_use + step - 1].call != nullptr) {
      in_use += step;
      step *= 2;
    }
    while (step /= 2) {
      if (in_use + step <= most && floor[in_use + step - 1].call != nullptr) in_use += step;
    }
    return floor + in_use;
  }

  /// Gives the oldest pending fork to worker `thief`, which learns of it by a message.
  slot* give(std::uint32_t thief) noexcept {
    slot* s = bottom_++;
    s->thief.store(thief, platform::relaxed);  // relaxed: a hint
    return s;
  }

  /// The join of the newest slot given away is over (FORK-1). Where all is public, the owner opens the part again when it has
  /// given the slot up.
  void joined(slot* s) noexcept {
    if (all_public_) close();  // what lay there was made during the wait, and is joined
    assert(s + 1 == bottom_);
    move_bottom(s);
  }

  // -- the public part (FORK-5)

  bool is_open() const noexcept { return public_.is_open(); }

  /// Makes the `count` oldest private pending slots public, too; or all, those to come, too, if it is a stack in which all
  /// are.
  void open(std::size_t count) noexcept {
    slot* const first = bottom_;
    if (!all_public_) move_bottom(first + count);
    if (!public_.is_open()) public_.open(first);
  }

  /// What no thief has taken is the owner's alone. Returns how many were taken.
  std::uint64_t close() noexcept {
    if (!public_.is_open()) return 0;
    move_bottom(public_.close());
    return public_.taken();
  }

  /// Takes the owner's slot `s`, which it has given up, back without closing where older ones are public, too. Whether no
  /// thief has it. Not to be interrupted.
  bool pop_public(slot* s) noexcept {
    if (!all_public_) {
      if (s >= bottom_) return true;
      if (!public_.is_open()) return false;
      end_.store(s, platform::release);  // pairs with take_plain
    }
    P::fence();  // PUBLIC-3; pairs with the fence in public_part::take
    if (public_.begins_beneath(s)) {
      if (!all_public_) move_bottom(s);
      return true;
    }
    slot* const first = public_.close_at(s);
    move_bottom(first);
    if (all_public_) public_.open(first);
    return first <= s;
  }

  /// Whether the owner is to poll, where all is public and every limit is above every slot: a thief has signalled, or the
  /// owner has noted that it is to poll again.
  bool is_poll_requested() const noexcept { return limit_->load(platform::relaxed) == signalled; }  // relaxed: a hint

  /// Whether a thief has had the owner's slot, be the public part open or closed.
  bool was_taken(const slot* s) const noexcept {
    return public_.is_open() ? !public_.begins_beneath(s + 1) : s < bottom_;
  }

  /// Whether take_plain may find one. Any other worker; a hint.
  bool may_have_public_plain(slot* const& top) const noexcept {
    const slot* const oldest = public_.seen_oldest();
    return oldest != nullptr && is_plain(oldest, top);
  }
  /// Whether take_marked may.
  bool may_have_public_marked() const noexcept {
    const slot* const oldest = public_.seen_oldest();
    if (oldest == nullptr || !is_in_block(oldest)) return false;
    return (all_public_ || word(oldest) < word(end_.load(platform::relaxed))) && P::observe(oldest->call) != nullptr;
  }

  /// How many private slots are pending: 0, 1, or 2 for two or more. A hint, for any other worker. In a plain stack, whose owner's word
  /// `top` is.
  unsigned seen_private_plain(slot* const& top) const noexcept {
    const std::uintptr_t first = word(end_.load(platform::relaxed));  // relaxed: a hint
    const std::uintptr_t end = word(P::observe(top));
    if (end > word(base_ + depth_max)) return 0;  // of another stack, meanwhile
    return end <= first ? 0 : end - first == sizeof(slot) ? 1 : 2;
  }
  /// The same in a marked stack.
  unsigned seen_private_marked() const noexcept {
    const slot* const s = end_.load(platform::relaxed);  // relaxed: a hint
    if (!is_in_block(s + 1)) return 0;
    return P::observe(s->call) == nullptr ? 0 : P::observe(s[1].call) == nullptr ? 1 : 2;
  }

  /// Takes the oldest public slot; or none: null. wanted() is asked while the slot is known to be public (EXPOSURE-1).
  /// Any other worker. In a plain stack, whose owner's word `top` is.
  template <class Wanted>
  slot* take_plain(slot* const& top, Wanted wanted) noexcept {
    return public_.take([&](slot* s) { return is_plain(s, top) && wanted(); });
  }

  /// The same in a marked stack, with what the slot calls (FORK-3).
  template <class Wanted>
  slot* take_marked(typename slot::call_type& call, Wanted wanted) noexcept {
    return public_.take([&](slot* s) {
      // relaxed: whether it is public; what it holds comes with `call`.
      if (!is_in_block(s) || (!all_public_ && word(s) >= word(end_.load(platform::relaxed)))) return false;
      call = P::observe(s->call);  // pairs with publish
      return call != nullptr && wanted();
    });
  }

  // -- asking

  /// Begins a poll, as private_deque::acknowledge.
  void acknowledge() noexcept {
    acknowledged_ = unsignalled();
    limit_->exchange(acknowledged_, platform::acq_rel);  // pairs with signal
  }

  /// Ends a poll, as private_deque::rearm.
  void rearm(bool again) noexcept {
    if (again) return signal();
    if (unsignalled() == acknowledged_) return;
    std::uintptr_t expected = acknowledged_;
    // A failure means a new signal, which stays (FORK-2). relaxed: the poll that follows it acquires.
    limit_->compare_exchange_strong(expected, unsignalled(), platform::relaxed, platform::relaxed);
  }

  /// Asks the owner to poll at its next join. Any thread, after the request was sent (FORK-2).
  void signal() noexcept { limit_->exchange(signalled, platform::acq_rel); }  // pairs with acknowledge

  [[gnu::always_inline]] static std::uintptr_t word(const slot* s) noexcept {
    return reinterpret_cast<std::uintptr_t>(s);
  }

 private:
  // Above the address of every slot.
  static constexpr std::uintptr_t signalled = ~std::uintptr_t{0};
  static constexpr std::uintptr_t every_join = signalled - 1;  // comes to the slow part

  // Where head and origin of two openings meet (PUBLIC-2), a slot may be of nowhere.
  bool is_in_block(const slot* s) const noexcept { return word(base_) <= word(s) && word(s) < word(base_ + depth_max); }

  // Whether a slot that was oldest lies beneath the end. Where all is public that is the top of the owner's thread, which may be
  // that of another stack meanwhile: then nothing is public. acquire, both: pair with publish, and open.
  bool is_plain(const slot* s, slot* const& top) const noexcept {
    const slot* const end = all_public_ ? P::observe(top) : end_.load(platform::acquire);
    return is_in_block(s) && word(s) < word(end) && word(end) <= word(base_ + depth_max);
  }

  // The limit while no thief asks.
  std::uintptr_t unsignalled() const noexcept { return all_public_ ? every_join : word(bottom_); }

  void move_bottom(slot* to) noexcept {
    std::uintptr_t expected = unsignalled();
    bottom_ = to;
    end_.store(to, platform::release);  // pairs with take_plain
    if (expected == unsignalled()) return;
    // A failure means a signal, which stays. relaxed: the poll that follows it acquires.
    if (limit_->compare_exchange_strong(expected, unsignalled(), platform::relaxed, platform::relaxed))
      acknowledged_ = unsignalled();  // a poll under way has nothing to rearm
  }

  slot* const base_;
  slot* bottom_;
  limit_word* limit_;
  std::uintptr_t acknowledged_ = 0;  // the limit as the last poll, or a move of bottom_, left it
  const bool all_public_;
  public_part<P, slot> public_;
  // Where the public part ends, unless all is public: bottom_ as it was last moved, but by `give`.
  typename P::template atomic<slot*> end_;
};

}  // namespace leat::inline LEAT_ABI::deque
