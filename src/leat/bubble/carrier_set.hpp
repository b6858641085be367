// The carriers of one call of run_threads: which are free, which rest, and how these are told that something
// has come (THREAD-5).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/bubble/carrier_state.hpp"
#include "leat/bubble/domain_lists.hpp"
#include "leat/bubble/spin_lock.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// The feared race: an entity comes to a list just when a carrier has looked there in vain and is about to
/// sleep. Both sides write first, then fence, then read: the carrier says that it rests and reads the lists,
/// the other puts the entity on the list and reads whether a carrier rests. One of the two sees the other. A
/// carrier that is told and takes something else passes the message on (begin_work), so that no entity waits
/// beside a resting carrier that could take it.
template <class P>
class carrier_set {
 public:
  using domain_id = topology::domain_id;
  using state = carrier_state<P>;

  explicit carrier_set(const domain_lists<P>& lists) noexcept : lists_(lists) {}

  /// Throws std::bad_alloc. They are kept in the order of their units, so that a step of announce from one to the
  /// next is a step across the machine. Of one worker's carriers the last to join is the one that executes.
  void join(state& c) {
    const holding<P> all(lock_);
    const auto before = [](const state* a, const state* b) { return a->unit() < b->unit(); };
    carriers_.insert(std::ranges::upper_bound(carriers_, &c, before), &c);
  }
  void leave(state& c) noexcept {
    const holding<P> all(lock_);
    std::erase(carriers_, &c);
  }

  /// Whether one of them executes the caller, so that all this exists until the caller returns.
  bool carries_here() const noexcept {
    const state* const c = state::here();
    return c != nullptr && &c->among() == this;
  }

  /// Whether one rests. Without a fence before it a hint.
  bool any_rests() const noexcept {
    return resting_.load(platform::relaxed) != 0;
  }  // relaxed: a hint, or the caller has fenced

  /// From now on `c` may be told of new entities. It has to look at its lists once more before it sleeps.
  void begin_rest(state& c) noexcept {
    c.set_idle(true);
    resting_.fetch_add(1, platform::seq_cst);  // pairs with the fence in begin_work
  }
  void end_rest(state& c) noexcept {
    c.set_idle(false);
    // relaxed: while the count is too large, a carrier may be told once too often.
    resting_.fetch_sub(1, platform::relaxed);
  }

  /// THREAD-15: `c` is busy from now on. It may have been told of one thing and have taken another: of what is left in
  /// its reach it tells another carrier. And it is one less that is free for that.
  void begin_work(state& c) noexcept {
    c.set_busy(true);
    // Pairs with the fence in announce: either announce sees that c is busy, or c sees the thread that was
    // put on the list. And with the addition in begin_rest, after which the resting carrier looks under locks
    // for a bubble to take over (REGENERATION-1): either that carrier sees that c is busy, or c sees that it rests.
    P::fence();
    if (!any_rests()) return;
    for (const domain_id d : c.path())
      if (lists_[d].peek() != 0) announce_member(d);
  }

  /// `count` things have come to the list of `area`. How many carriers there look at their lists, or will
  /// soon.
  std::size_t announce(domain_id area, std::size_t count = 1) noexcept {
    // Pairs with the fence before a sleep (PARKER-1), after which a carrier looks at its lists again, and with that
    // in begin_work: either the carrier finds the new entity, or this loop finds the carrier.
    P::fence();
    if (!any_rests()) return 0;
    const holding<P> mine(lock_);
    std::size_t free = 0;
    // In turn; and where several things have come, far from each other, for bubbles go down on the side of
    // the carrier that is told.
    const std::size_t all = carriers_.size(), step = std::max<std::size_t>(all / count, 1), begin = next_;
    for (std::size_t offset = 0; offset < step; ++offset) {
      for (std::size_t i = offset; i < all; i += step) {
        state& c = *carriers_[(begin + i) % all];
        if (!is_free(c, area)) continue;
        ++free;
        if (!c.tell_if_idle()) continue;
        next_ = (begin + i + 1) % all;
        if (--count == 0) return free;
      }
    }
    return free;
  }

  /// THREAD-14: the same for a bubble's members: carriers elsewhere may take over a part (REGENERATION-1, REGENERATION-2), and are
  /// told where too few are free.
  void announce_member(domain_id area, std::size_t count = 1) noexcept {
    const std::size_t told = announce(area, count);
    if (told < count && area != topology::root_domain) announce(topology::root_domain, count - told);
  }

  /// All wake, and look whether all threads have ended.
  void wake_all() noexcept {
    const holding<P> mine(lock_);
    for (state* c : carriers_) c->on().notify();
  }

  /// How many in the domain are not busy. An estimate.
  std::size_t free_in(domain_id d) noexcept {
    const holding<P> mine(lock_);
    return static_cast<std::size_t>(std::ranges::count_if(carriers_, [&](const state* c) { return is_free(*c, d); }));
  }

  /// Whether each one in the domain blocks its worker. An estimate.
  bool all_block_in(domain_id d) noexcept {
    const holding<P> mine(lock_);
    return std::ranges::all_of(carriers_, [&](const state* c) { return !has(d, c->unit()) || c->blocks(); });
  }

 private:
  bool has(domain_id d, topology::unit_id u) const noexcept { return lists_.machine()[d].has(u); }
  bool is_free(const state& c, domain_id d) const noexcept { return has(d, c.unit()) && !c.is_busy(); }

  const domain_lists<P>& lists_;
  typename P::template atomic<std::uint32_t> resting_{0};
  spin_lock<P> lock_;  // guards what follows. The last in the order of locks
  std::vector<state*> carriers_;  // in the order of their units
  std::size_t next_ = 0;  // the place among them of the one that is told first
};

}  // namespace leat::inline LEAT_ABI::bubbles
