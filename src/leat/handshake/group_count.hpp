// How many tasks of a group are left, and which workers may have some.
//
// One worker, the owner, makes the group and waits for it. What the owner does with the group, which for a single
// producer is nearly everything, costs no read-modify-write. Rules, cited in the code:
//  GROUP-1  `local_` is the owner's own count: one more for each task that it spawns, one less for each that it
//      executes. `remote_` is the same of all others, or more (GROUP-6). All tasks are done when the sum of the two is
//      zero; only the owner can read both.
//  GROUP-2  A task is counted before its record can be taken, and counted out after its callable is destroyed.
//      Workers other than the owner count out many at once, at the latest when they come upon anything but a task of
//      the group. Why: that only makes the sum too large, never too small. (A task that waits holds such a count
//      back, and is itself a task of the group.)
//  GROUP-3  Before the owner sleeps it moves `local_` into `remote_`. So the worker that makes `remote_` zero has made
//      the sum zero, unless the owner itself is at work; it notifies the owner.
//  GROUP-4  A worker that counts out reads what it needs before, and touches the group no more: when the sum is zero
//      the owner may destroy it.
//  GROUP-5  The owner's deque holds at most `put_here() - away_` records of the group. `put_here` counts what the owner
//      put into the deque and took out of it; `away_` counts what thieves took; each thief counts when it has the
//      tasks. The bound is an upper one.
//  GROUP-6  A worker that is not the owner counts the tasks that it spawns inside tasks of the group in an account on
//      its stack. The account is taken over into `remote_` before a task of the worker's deque is lent (GROUP-2), and at
//      the end, in one sum with what was executed. From the second time on it counts in ahead, as many tasks as it has
//      counted in, or surplus_max. Why: all workers write `remote_`, and a loop that leaves its parts anew for each thief
//      spawns at each poll. Only the innermost account has something to take over. An interrupt may take it over between any two
//      instructions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// GROUP-6: the sums of one account. Pure.
class account_count {
 public:
  /// Tasks counted in ahead at once, at most.
  static constexpr std::int64_t surplus_max = 256;

  /// So many tasks were spawned; or, below zero, taken back.
  constexpr void add(std::int64_t tasks) noexcept { spawned_ += tasks; }

  /// How many tasks the group is to count in, before any that was spawned may be lent. None, if it has enough.
  constexpr std::int64_t take_over() noexcept {
    const std::int64_t lacking = spawned_ - counted_in_;
    if (lacking <= 0) return 0;
    const std::int64_t all = lacking + std::min(counted_in_, surplus_max);
    counted_in_ += all;
    return all;
  }

  /// How many the group is to count out at the end, when `done` were executed; or, below zero, to count in.
  constexpr std::int64_t settle(std::int64_t done) const noexcept { return done + counted_in_ - spawned_; }

 private:
  std::int64_t spawned_ = 0;
  std::int64_t counted_in_ = 0;
};

/// The workers that may have tasks of a group. Written when a worker gets or spawns its first one, read with each steal.
template <class P>
class group_holders {
 public:
  /// The worker may have tasks of the group.
  void add(protocol::worker_id id) noexcept {
    if (!may_be(seen(), id)) bits_.fetch_or(bit(id), platform::relaxed);  // relaxed: a hint
  }

  /// Those that were added, for may_be. A hint.
  std::uint64_t seen() const noexcept { return bits_.load(platform::relaxed); }  // relaxed: a hint

  /// Whether `id` was added; or a worker whose bit it shares, if there are more workers than bits.
  static constexpr bool may_be(std::uint64_t seen, protocol::worker_id id) noexcept { return (seen & bit(id)) != 0; }

 private:
  static constexpr std::uint64_t bit(protocol::worker_id id) noexcept { return std::uint64_t{1} << id % 64; }

  typename P::template atomic<std::uint64_t> bits_{0};
};

template <class P>
class alignas(platform::cache_line) group_count {
 public:
  // -- the owner

  /// GROUP-1: the owner has spawned so many tasks; or, below zero, has executed them.
  void add_own(std::int64_t tasks) noexcept { local_ += tasks; }

  /// GROUP-5: so many tasks, which the counts of others have, came to the owner's deque.
  void tasks_came(std::int64_t tasks) noexcept { kept_ += tasks; }

  /// GROUP-5: the tasks that the owner put into its deque, or got there, less those that it has executed.
  std::int64_t put_here() const noexcept { return local_ + kept_; }

  /// GROUP-5: whether the owner's deque may hold records of the group.
  // relaxed: if a thief has some and has not counted them here yet, the owner searches in vain.
  bool may_be_here() const noexcept { return put_here() - away_.load(platform::relaxed) > 0; }

  /// Whether all tasks are done.
  bool is_quiet() const noexcept {
    // acquire: pairs with count_out; what the tasks did is visible.
    return local_ + remote_.load(platform::acquire) == 0;
  }

  /// GROUP-3. Whether all tasks are done. If not, the worker that ends the last one notifies the owner.
  bool settle() noexcept {
    if (local_ != 0) {
      kept_ += local_;
      // acq_rel: pairs with count_out.
      remote_.fetch_add(std::exchange(local_, 0), platform::acq_rel);
    }
    return remote_.load(platform::acquire) == 0;  // pairs with count_out
  }

  /// A worker that may have tasks of the group, of those below `workers` but for `owner`: the same one until it was
  /// `asked`. Goes round those that `holders` has. O(workers) at most.
  std::optional<protocol::worker_id> next_holder(const group_holders<P>& holders, protocol::worker_id owner,
                                                 std::uint32_t workers, bool asked) noexcept {
    const std::uint64_t seen = holders.seen();
    if (seen == 0) return std::nullopt;
    if (asked) ++next_;
    for (std::uint32_t i = 0; i < workers; ++i, ++next_) {
      next_ %= workers;
      if (holders.may_be(seen, next_) && next_ != owner) return next_;
    }
    return std::nullopt;
  }

  /// Makes the counts of a quiet group as good as new. The words of other workers are written only if they have
  /// changed, which leaves their cache line alone.
  void reset() noexcept {
    // relaxed: no other thread knows the group now; what others did to it was visible when the sum was zero.
    if (remote_.load(platform::relaxed) != 0) remote_.store(0, platform::relaxed);
    if (away_.load(platform::relaxed) != 0) away_.store(0, platform::relaxed);
    local_ = kept_ = 0;
  }

  // -- other workers

  /// GROUP-2: so many tasks more, which no other worker can have taken yet.
  // relaxed: the worker that counts a task out has got it from here, and comes later in the order of this word.
  void count_in(std::int64_t tasks) noexcept { remote_.fetch_add(tasks, platform::relaxed); }

  /// So many tasks are done. True if those were all; then the caller notifies the owner, and the group may be gone
  /// (GROUP-3, GROUP-4).
  bool count_out(std::int64_t tasks) noexcept {
    return remote_.fetch_sub(tasks, platform::acq_rel) == tasks;  // acq_rel: pairs with is_quiet and settle
  }

  /// GROUP-5: so many records have left the owner's deque.
  // relaxed: the counting out of these tasks comes after it, and makes it visible.
  void tasks_left(std::int64_t tasks) noexcept { away_.fetch_add(tasks, platform::relaxed); }

 private:
  // Words that other workers write.
  typename P::template atomic<std::int64_t> remote_{0};
  typename P::template atomic<std::int64_t> away_{0};

  // The owner's words, on a cache line of their own. They come last: the rest of their line is the group's.
  alignas(platform::cache_line) std::int64_t local_ = 0;
  std::int64_t kept_ = 0;  // the tasks of put_here that local_ does not count
  protocol::worker_id next_ = 0;  // the worker to ask next
};

}  // namespace leat::inline LEAT_ABI::handshake
