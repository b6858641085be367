// The ways of bubbles: down the machine, burst, and back together. Rules BUBBLE-1 to BUBBLE-5: docs/internals/bubbles.md.
//
// One lock for all of it, so that a carrier that looks for a bubble sees where the one before went. The paper
// locks two lists instead; but a bubble's way is rare beside the switches of its threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "leat/bubble/bubble_log.hpp"
#include "leat/bubble/bubble_node.hpp"
#include "leat/bubble/carrier_set.hpp"
#include "leat/bubble/domain_lists.hpp"
#include "leat/bubble/domain_loads.hpp"
#include "leat/bubble/spin_lock.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// It owns where bubbles are: their phases, the areas of their members, the loads of the domains, and the
/// list of those that have burst. A function is called under the lock unless its comment says that it takes
/// it.
///
/// Order of locks: the gate of a thread; this lock; those of lists (domain_lists::pair_lock); that of the
/// carriers, or of their offers. A holder of a later one asks for no earlier one.
template <class P>
class bubble_scheduler {
 public:
  using domain_id = topology::domain_id;
  using node = bubble_node<P>;
  using thread_phase = typename green_thread<P>::phase;
  using bubble_phase = typename node::phase;

  /// \param p  decides for bubbles without a policy of their own; null: the default, without a virtual call
  bubble_scheduler(const domain_lists<P>& lists, carrier_set<P>& carriers, trace* t, const policy* p = nullptr)
      : lists_(lists), carriers_(carriers), policy_(p), loads_(lists.machine()), log_(t, lists.machine()) {}

  spin_lock<P>& lock() noexcept { return lock_; }
  bubble_log<P>& log() noexcept { return log_; }
  /// What decides for the bubble; null: the default. Under no lock.
  const policy* policy_of(const node& b) const noexcept { return b.plan.policy != nullptr ? b.plan.policy : policy_; }
  node* first_burst() const noexcept { return burst_; }  ///< the others: next_burst

  /// BUBBLE-1: the bubble that is first in reach of `c`, if one is, goes down on the side of `c` as far as no other domain is better,
  /// and bursts, or comes to the list of the domain that is. Takes the lock.
  /// If another carrier has sent the bubble down meanwhile nothing is done: the caller looks at its lists again.
  /// O(levels and their children); to burst costs O(members), too.
  void send_down(const carrier_state<P>& c) {
    const holding<P> all(lock_);
    const found best = lists_.peek(c.path());
    if (!best || best.first().what != head::kind::bubble) return;
    domain_id at = c.path()[best.place];
    node* const b = take_first(at);
    // Null: threads are put on lists without this lock, and one of a higher priority has come since.
    if (b == nullptr) return;
    // On the lists between the two the bubble would lie for a moment, and `c` would be the one to take it: so it comes to none of them.
    // Place 0 is the list of the unit itself: there is no level below it.
    const std::uint32_t depth = burst_depth_of(*b, c);
    for (std::size_t place = best.place; place != 0 && machine()[at].depth < depth; --place) {
      const domain_id mine = c.path()[place - 1], to = least_loaded(*b, at, mine);
      log_.note(incident::down, *b, to);
      loads_.sink(b->way, b->amount(), to);
      if (to != mine) return put_on(*b, to);
      at = to;
    }
    burst(*b, at);
  }

  /// The bubble that is first on a list is on none any more; null: no bubble is first there.
  node* take_first(domain_id at) noexcept {
    const holding<P> one(lists_[at].lock());
    entity<P>* const first = lists_[at].first();
    if (first == nullptr || first->what != head::kind::bubble) return nullptr;
    lists_[at].remove(*first);
    return static_cast<node*>(first);
  }

  /// A bubble that is on no list comes to that of `to`, behind all of its priority, and a carrier there is told.
  void put_on(node& b, domain_id to) {
    // The list before the word to carriers, which fences (THREAD-5).
    b.area.store(to, platform::relaxed);  // relaxed: under the lock
    under(lists_[to].lock(), [&] { lists_[to].push(b); });
    carriers_.announce(to);
  }

  /// A bubble that is on no list goes up to a list around where it was.
  void put_up(node& b, domain_id to) {
    loads_.rise(b.way, to);
    put_on(b, to);
  }

  /// BUBBLE-10. A carrier is told, as a bubble that is alone on its list is not seen there for a moment.
  void set_priority(node& b, std::int32_t priority) {
    const domain_id area = b.area.load(platform::relaxed);  // relaxed: under the lock
    {
      list<P>& l = lists_[area];
      const holding<P> one(l.lock());
      if (!b.listed) {
        b.priority = priority;
        return;
      }
      l.remove(b);
      b.priority = priority;
      l.push(b);
    }
    carriers_.announce(area);
  }

  /// Nothing is left in a bubble and in those around it: they count in no domain. One may lie on a list, and go down from
  /// there when threads have come into it.
  void forget_ended(node& b) noexcept {
    for (node* outer = &b; outer != nullptr; outer = outer->holder)
      if (outer->threads == 0) start_at(*outer, outer->way.from);
  }

  void take_off_list(node& b) noexcept {
    list<P>& l = lists_[b.area.load(platform::relaxed)];  // relaxed: under the lock
    const holding<P> one(l.lock());
    if (b.listed) l.remove(b);
  }

  /// It counts in no domain, and goes down from `from`.
  void start_at(node& b, domain_id from) noexcept { loads_.begin_at(b.way, from); }

  /// BUBBLE-3: a bubble that is on no list releases its members to the list of `at`. Members that block or execute
  /// learn of their new area: they come there when they go on.
  void burst(node& b, domain_id at) {
    std::size_t released = 0;
    log_.note(incident::burst, b, at);
    {
      // From one list's lock to the other's, so that the holder of the lock of a thread's area knows its
      // bubble's phase (BUBBLE-4).
      const typename domain_lists<P>::pair_lock both(lists_, b.members_area, at);
      b.now = bubble_phase::burst;
      b.begun = true;
      b.members_area = at;
      b.wanted.store(0, platform::relaxed);  // relaxed: a hint
      for (entity<P>* m = b.members.first(); m != nullptr; m = m->sibling_after) {
        m->area.store(at, platform::release);  // pairs with area_lock
        if (!may_go_on(*m, at)) continue;
        lists_[at].push(*m);
        ++released;
      }
    }
    link_burst(b);
    b.area.store(at, platform::relaxed);  // relaxed: under the lock
    // A poll that still reads the time of the burst before finds a slice that is over. It asks for the bubbles' lock
    // then, under which check_slices sees this one.
    if (b.plan.slice_ns != 0) b.burst_ns.store(P::now_ns(), platform::relaxed);  // relaxed: under the lock, or a hint
    if (released != 0) carriers_.announce_member(at, released);
  }

  /// BUBBLE-5: members on lists go back at once, those that execute by themselves. So do the bubbles in it.
  /// O(all that is in it). It calls itself for a bubble in it, so bubbles in bubbles cost stack.
  void recall(node& b) {
    log_.note(incident::recalled, b, b.members_area);
    unlink_burst(b);
    {
      list<P>& l = lists_[b.members_area];
      const holding<P> one(l.lock());
      b.now = bubble_phase::recalled;
      b.wanted.store(1, platform::relaxed);  // relaxed: a hint
      b.each_thread([&](green_thread<P>& s) {
        if (!s.listed) return;
        l.remove(s);
        s.now = thread_phase::held;
      });
    }
    b.each_bubble([&](node& inner) {
      take_off_list(inner);
      // The last one that closes here may close `b`, too: what is left of the members is closed by then.
      if (inner.now == bubble_phase::burst) recall(inner);
      else start_at(inner, topology::root_domain);
    });
    close_if_back(b);
  }

  /// BUBBLE-5: closes a recalled bubble if nothing of it executes any more; and then the one around it, if that is
  /// recalled.
  void close_if_back(node& b) {
    {
      const holding<P> one(lists_[b.members_area].lock());
      if (b.now != bubble_phase::recalled || !all_back(b)) return;
      // `wanted` stays 1 until the bubble bursts: a thread that has waited and goes on in it meanwhile comes
      // back.
      b.now = bubble_phase::closed;
    }
    log_.note(incident::closed, b, b.returns_to);
    start_at(b, b.returns_to);
    if (b.holder != nullptr && b.holder->now != bubble_phase::burst) return close_if_back(*b.holder);
    put_on(b, b.returns_to);
  }

  /// REGENERATION-2: all that a burst bubble has released goes to the list of `to`, around where it was. Threads that
  /// execute go on undisturbed.
  /// No carrier is told: the idle one for which it is done looks at its lists next, and passes on what is left
  /// (carrier_set::begin_work). O(members).
  void widen(node& b, domain_id to) {
    b.widened = machine()[to].depth;
    const domain_id narrow = b.members_area;
    const typename domain_lists<P>::pair_lock both(lists_, narrow, to);
    for (entity<P>* m = b.members.first(); m != nullptr; m = m->sibling_after) {
      // Threads are all of `narrow`. A bubble may have gone down, where only its own bursts and recalls move it.
      const domain_id from = m->area.load(platform::relaxed);  // relaxed: under the lock
      if (m->what == head::kind::bubble) {
        if (from != narrow) continue;  // it has gone down, and stays there
        loads_.rise(static_cast<node&>(*m).way, to);
      }
      if (m->listed) {
        lists_[from].remove(*m);
        lists_[to].push(*m);
      }
      m->area.store(to, platform::release);  // pairs with area_lock
    }
    b.members_area = to;
    loads_.rise(b.way, to);
  }

  void unlink_burst(node& b) noexcept {
    (b.before_burst == nullptr ? burst_ : b.before_burst->next_burst) = b.next_burst;
    if (b.next_burst != nullptr) b.next_burst->before_burst = b.before_burst;
  }

 private:
  const topology::machine& machine() const noexcept { return lists_.machine(); }

  void link_burst(node& b) noexcept {
    b.before_burst = nullptr;
    b.next_burst = burst_;
    if (burst_ != nullptr) burst_->before_burst = &b;
    burst_ = &b;
  }

  // Whether a member of a bubble that bursts goes to the list; under that list's lock.
  bool may_go_on(entity<P>& m, domain_id at) noexcept {
    if (m.what == head::kind::thread) {
      auto& s = static_cast<green_thread<P>&>(m);
      if (s.now != thread_phase::held) return false;
      s.now = thread_phase::waiting;
      return true;
    }
    auto& inner = static_cast<node&>(m);
    inner.released_on = inner.returns_to = at;
    if (inner.now == bubble_phase::recalled) return false;  // it comes when it is closed
    inner.now = bubble_phase::closed;
    start_at(inner, at);
    log_.note(incident::released, inner, at);
    return true;
  }

  // Under the lock of the members' list, which guards `running`; the bubbles' lock guards the phases. Blocked threads
  // do not count: they are held, or listed, when the thing that they wait for has come.
  bool all_back(const node& b) const noexcept {
    bool back = b.running == 0;
    b.each_bubble([&](const node& inner) { back = back && inner.now == bubble_phase::closed; });
    return back;
  }

  // BUBBLE-2
  std::uint32_t burst_depth_of(const node& b, const carrier_state<P>& c) const {
    const std::uint32_t leaf = machine()[c.path().front()].depth;
    std::uint32_t depth = std::min(b.plan.depth, leaf);
    if (b.plan.depth == bubble_plan::depth_open) {
      // A path has one domain for each depth, the leaf first: that of depth d is so far from its beginning.
      const auto units = [&](std::uint32_t d) { return std::size_t{machine()[c.path()[leaf - d]].units}; };
      if (const policy* const p = policy_of(b)) [[unlikely]]
        return std::min({depth_by(*p, b, c), leaf, b.widened});
      depth = burst_depth(b.plan.members, b.threads, std::min(machine()[b.released_on].depth, leaf), leaf, units);
    }
    return std::min(depth, b.widened);
  }

  // BUBBLE-1: the child of `at` into which the bubble goes down: `mine`, that of the unit that looks, unless
  // another one has less to do and a carrier that takes the bubble.
  domain_id least_loaded(const node& b, domain_id at, domain_id mine) noexcept {
    if (const policy* const p = policy_of(b)) [[unlikely]]
      return preferred(*p, b, at, mine);
    domain_id best = mine;
    if (machine()[at].children.size() == 1) return mine;  // many levels have one child alone
    for (const domain_id d : machine()[at].children) {
      const bool less = goes_elsewhere(b.amount(), loads_[best], machine()[best].units, loads_[d], machine()[d].units);
      if (less && carriers_.free_in(d) != 0) best = d;
    }
    return best;
  }

  // The same by a policy.
  [[gnu::noinline]] std::uint32_t depth_by(const policy& p, const node& b, const carrier_state<P>& c) const {
    std::array<std::uint32_t, topology::levels_max + 1> units{};
    const std::size_t levels = std::min(c.path().size(), units.size());
    for (std::size_t d = 0; d < levels; ++d) units[d] = machine()[c.path()[levels - 1 - d]].units;
    const auto leaf = static_cast<std::uint32_t>(levels - 1);
    return p.burst_depth(b.seen(), {{units.data(), levels}, std::min(machine()[b.released_on].depth, leaf)});
  }
  [[gnu::noinline]] domain_id preferred(const policy& p, const node& b, domain_id at, domain_id mine) noexcept {
    const auto side_of = [&](domain_id d) {
      return domain_seen{d, machine()[d].units, loads_[d], carriers_.free_in(d), d == mine};
    };
    const bubble_seen seen = b.seen();
    domain_seen best = side_of(mine);
    for (const domain_id d : machine()[at].children) {
      if (d == best.domain) continue;
      // Where no carrier is free, whatever the policy says: an idle unit would bring the bubble back at once.
      const domain_seen other = side_of(d);
      if (other.free != 0 && p.prefers(seen, other, best)) best = other;
    }
    return best.domain;
  }

  const domain_lists<P>& lists_;
  carrier_set<P>& carriers_;
  const policy* const policy_;
  spin_lock<P> lock_;  // guards what follows, and all bubbles
  domain_loads loads_;
  bubble_log<P> log_;
  node* burst_ = nullptr;  // the first of those that have burst
};

}  // namespace leat::inline LEAT_ABI::bubbles
