// Regeneration: bubbles that have burst come back together, for a unit that is idle or because a slice is
// over. Rules REGENERATION-1 to REGENERATION-6.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/bubble/bubble_scheduler.hpp"
#include "leat/bubble/carrier_offers.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// How long something waits elsewhere before an idle unit takes it over (REGENERATION-4).
inline constexpr std::uint64_t takes_over_after_ns = 20'000;

/// It decides (decisions.hpp) and has bubble_scheduler act. It has no state of its own: each look reads all
/// bubbles that have burst, under their lock. That is a search in their number, by carriers that have nothing
/// else to do.
template <class P>
class regenerator {
 public:
  using domain_id = topology::domain_id;
  using node = bubble_node<P>;

  regenerator(const domain_lists<P>& lists, carrier_set<P>& carriers, carrier_offers<P>& offers,
              bubble_scheduler<P>& bubbles) noexcept
      : lists_(lists), carriers_(carriers), offers_(offers), bubbles_(bubbles) {}

  /// REGENERATION-4: takes something into the reach of `c`, which has nothing to execute, if it waits elsewhere now and
  /// still after a thread's way from one list to its next unit. `found_some()`: whether `c` has something to
  /// do meanwhile. Whether it has to look at its lists again. The first look changes nothing, and the second one is
  /// not bound to its choice. O(bubbles that have burst, and their members), under the bubbles' lock.
  template <class Found>
  bool take_over(carrier_state<P>& c, Found found_some) {
    if (!rebalance(c, false)) return false;
    const std::uint64_t begun = P::now_ns();
    while (P::now_ns() - begun < takes_over_after_ns) {
      if (found_some()) return true;
      P::yield();
    }
    return rebalance(c, true);
  }

  /// REGENERATION-3: recalls the outermost bubble around `s` whose slice is over, if others wait for its units.
  void check_slices(const green_thread<P>& s) {
    // Without the lock: a thread's holders, and their plans, stay as they are while it executes. So where no bubble
    // has a slice a yield takes no lock.
    bool sliced = false;
    for (const node* b = s.holder; b != nullptr; b = b->holder) sliced = sliced || b->plan.slice_ns != 0;
    if (!sliced) return;
    // From the innermost one outwards, so that the last one found is the outermost.
    node* over = nullptr;
    const holding<P> all(bubbles_.lock());
    for (node* b = s.holder; b != nullptr; b = b->holder) {
      if (b->plan.slice_ns == 0 || b->now != node::phase::burst) continue;
      const auto others = head::unpacked(lists_[b->released_on].peek());
      const bool wait = others.what != head::kind::nothing && gives_way(b->priority, others.priority);
      // relaxed: under the lock
      if (slice_over(b->plan.slice_ns, b->burst_ns.load(platform::relaxed), P::now_ns(), wait)) over = b;
    }
    if (over == nullptr) return;
    bubbles_.log().note(incident::sliced, *over, over->members_area);
    over->returns_to = over->released_on;
    bubbles_.recall(*over);
  }

 private:
  // Of the bubbles that an idle unit could take something of, the best so far.
  struct choice {
    node* b = nullptr;
    regeneration what = regeneration::none;
    domain_id to = topology::root_domain;
  };

  const topology::machine& machine() const noexcept { return lists_.machine(); }

  // REGENERATION-1, REGENERATION-2: takes something from elsewhere into the reach of `c`, or only looks whether there
  // is something. Whether there is.
  bool rebalance(const carrier_state<P>& c, bool takes) {
    const holding<P> all(bubbles_.lock());
    choice best;
    for (node* b = bubbles_.first_burst(); b != nullptr; b = b->next_burst) consider(*b, c, best);
    if (best.b == nullptr) return rescue(c, takes);
    if (takes) regenerate(best);
    return true;
  }

  void consider(node& b, const carrier_state<P>& c, choice& best) {
    burst_seen seen;
    seen.within_reach = machine()[b.members_area].has(c.unit());
    seen.depth_given = b.plan.depth != bubble_plan::depth_open;
    if (seen.within_reach || (b.plan.stays && !is_deserted(b.members_area))) return;
    see(b, seen);
    seen.waiting -= std::min(seen.waiting, carriers_.free_in(b.members_area));
    const policy* const p = bubbles_.policy_of(b);
    const regeneration what = p == nullptr ? for_idle(seen) : possible(p->for_idle(b.seen(), seen), seen);
    if (what == regeneration::none) return;
    const domain_id to = lists_.around(b.members_area, c.unit());
    const std::uint32_t near = machine()[to].depth, nearest = machine()[best.to].depth;
    // REGENERATION-6: the nearest one; of several that with most work, as a move costs the same for each.
    if (best.b != nullptr && (near < nearest || (near == nearest && b.amount() <= best.b->amount()))) return;
    best = {&b, what, to};
  }

  // What a policy says, where it can be done: only a bubble of which something waits is widened or moved, and only one of which
  // nothing executes is moved. Else each idle unit would do it again and again.
  static regeneration possible(regeneration said, const burst_seen& seen) noexcept {
    if (seen.waiting == 0) return regeneration::none;
    if (said == regeneration::move && seen.running == 0) return said;
    return said == regeneration::widen ? said : regeneration::none;
  }

  void regenerate(const choice& best) {
    node& b = *best.b;
    if (best.what == regeneration::widen) {
      bubbles_.log().note(incident::widened, b, best.to);
      return bubbles_.widen(b, best.to);
    }
    bubbles_.log().note(incident::moved, b, best.to);
    b.returns_to = best.to;
    bubbles_.recall(b);
    // A carrier has begun to execute some of it after all. Nothing is to wait for that, so it bursts where it
    // was.
    if (b.now == node::phase::recalled) bubbles_.burst(b, b.members_area);
  }

  // How many members of a burst bubble wait and execute, with those of the bubbles in it. A closed bubble
  // counts as one that waits. One list's lock at a time, so the sum is of no single moment: it is an
  // estimate, like the number of free carriers.
  void see(const node& b, burst_seen& seen) const noexcept {
    {
      const holding<P> one(lists_[b.members_area].lock());
      seen.running += b.running;
      b.each_thread([&](const green_thread<P>& s) { seen.waiting += s.listed; });
    }
    b.each_bubble([&](const node& inner) {
      if (inner.now == node::phase::closed) seen.waiting += inner.threads != 0;
      if (inner.now == node::phase::burst) see(inner, seen);
    });
  }

  // REGENERATION-1, for a bubble that has gone down to where no carrier is free any more: it comes into the reach of
  // `c`. O(domains), with a lock only where a bubble is first.
  bool rescue(const carrier_state<P>& c, bool takes) {
    for (domain_id d = 0; d < machine().domains().size(); ++d) {
      if (head::unpacked(lists_[d].peek()).what != head::kind::bubble) continue;
      if (machine()[d].has(c.unit()) || carriers_.free_in(d) != 0) continue;
      if (!takes) return true;
      node* const b = bubbles_.take_first(d);
      if (b == nullptr) continue;  // a thread has come before it
      const domain_id to = lists_.around(d, c.unit());
      bubbles_.log().note(incident::moved, *b, to);
      bubbles_.put_up(*b, to);
      return true;
    }
    return false;
  }

  // REGENERATION-5: all that carry there block, and no other carrier compensates for one of them.
  bool is_deserted(domain_id d) noexcept { return carriers_.all_block_in(d) && offers_.any_open_in(machine()[d]); }

  const domain_lists<P>& lists_;
  carrier_set<P>& carriers_;
  carrier_offers<P>& offers_;
  bubble_scheduler<P>& bubbles_;
};

}  // namespace leat::inline LEAT_ABI::bubbles
