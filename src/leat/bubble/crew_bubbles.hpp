// The body of the crew, as far as bubbles are concerned: how they go down, burst, close and move. Rules B and Z: docs/bubbles.md.
//
// All of it under the crew's lock, so that who looks for a bubble sees where the one before went. (The paper locks two lists
// instead; but a bubble's way is rare beside the switches of its threads.)
#pragma once

#include <algorithm>

#include "leat/bubble/crew.hpp"

namespace leat::bubbles {

// -- down, and burst --------------------------------------------------------------------------------------------------

template <class P>
void crew<P>::put_on(film<P>& b, domain_id to) {
  b.area.store(to, platform::relaxed);  // relaxed: under lock_
  {
    const holding<P> one(lists_[to].lock());
    lists_[to].push(b);
  }
  announce(to);
}

template <class P>
void crew<P>::unlist(film<P>& b) noexcept {
  list<P>& l = lists_[b.area.load(platform::relaxed)];  // relaxed: under lock_
  const holding<P> one(l.lock());
  if (b.listed) l.remove(b);
}

template <class P>
std::uint32_t crew<P>::burst_depth_of(const film<P>& b, const carrier<P>& c) const {
  const std::uint32_t leaf = machine_[c.path().front()].depth;
  std::uint32_t depth = std::min(b.depth, leaf);
  if (b.depth == film<P>::depth_open) {
    const auto units = [&](std::uint32_t d) { return std::size_t{machine_[c.path()[leaf - d]].units}; };
    depth = burst_depth(b.kind, b.threads, std::min(machine_[b.released_on].depth, leaf), leaf, units);
  }
  return std::min(depth, b.widened);
}

// B1: what is first in reach of `c` goes one level down, or bursts.
template <class P>
void crew<P>::deal_with_bubble(carrier<P>& c) {
  const found best = peek(c);
  if (!best || best.first().what != head::kind::bubble) return;
  const domain_id at = c.path()[best.place];
  film<P>* b = nullptr;
  {
    const holding<P> one(lists_[at].lock());
    entity<P>* const first = lists_[at].first();
    if (first == nullptr || first->what != head::kind::bubble) return;
    b = static_cast<film<P>*>(first);
    lists_[at].remove(*b);
  }
  if (best.place == 0 || machine_[at].depth >= burst_depth_of(*b, c)) return burst(*b, at);
  const domain_id to = least_loaded(*b, at, c.path()[best.place - 1]);
  ++counts_.down;
  tell(incident::down, *b, to);
  sink(*b, to);
  put_on(*b, to);
}

// B3: releases what it holds.
template <class P>
void crew<P>::burst(film<P>& b, domain_id at) {
  std::size_t released = 0;
  tell(incident::burst, b, at);
  {
    const both_lists both(*this, b.members_area, at);
    b.now = bubble_phase::burst;
    b.members_area = at;
    b.wanted.store(0, platform::relaxed);  // relaxed: a hint
    for (entity<P>* m = b.members; m != nullptr; m = m->sibling_after) {
      m->area.store(at, platform::release);  // pairs with put
      if (m->what == head::kind::thread) {
        auto& s = static_cast<strand<P>&>(*m);
        if (s.now != thread_phase::held) continue;
        s.now = thread_phase::waiting;
      } else {
        auto& inner = static_cast<film<P>&>(*m);
        inner.released_on = inner.returns_to = at;
        if (inner.now == bubble_phase::recalled) continue;  // it comes when it is closed
        inner.now = bubble_phase::closed;
        begin_at(inner, at);
        tell(incident::released, inner, at);
      }
      lists_[at].push(*m);
      ++released;
    }
  }
  link_burst(b);
  b.area.store(at, platform::relaxed);  // relaxed: under lock_
  if (b.slice_ns != 0) b.burst_ns.store(P::now_ns(), platform::relaxed);  // relaxed: under lock_, or a hint
  ++counts_.bursts;
  if (released != 0) announce_member(at, released);
}

// -- and back ---------------------------------------------------------------------------------------------------------

// B5: what waits goes back at once, what executes by itself.
template <class P>
void crew<P>::recall(film<P>& b) {
  tell(incident::recalled, b, b.members_area);
  unlink_burst(b);
  {
    list<P>& l = lists_[b.members_area];
    const holding<P> one(l.lock());
    b.now = bubble_phase::recalled;
    b.wanted.store(1, platform::relaxed);  // relaxed: a hint
    for (entity<P>* m = b.members; m != nullptr; m = m->sibling_after) {
      if (m->what != head::kind::thread || !m->listed) continue;
      l.remove(*m);
      static_cast<strand<P>*>(m)->now = thread_phase::held;
    }
  }
  for (entity<P>* m = b.members; m != nullptr; m = m->sibling_after) {
    if (m->what != head::kind::bubble) continue;
    auto& inner = static_cast<film<P>&>(*m);
    unlist(inner);
    if (inner.now == bubble_phase::burst) recall(inner);
    else begin_at(inner, topology::root_domain);
  }
  close_if_back(b);
}

template <class P>
bool crew<P>::all_back(const film<P>& b) const noexcept {
  if (b.running != 0) return false;
  for (const entity<P>* m = b.members; m != nullptr; m = m->sibling_after) {
    if (m->what == head::kind::bubble && static_cast<const film<P>*>(m)->now != bubble_phase::closed) return false;
  }
  return true;
}

template <class P>
void crew<P>::close_if_back(film<P>& b) {
  {
    const holding<P> one(lists_[b.members_area].lock());
    if (b.now != bubble_phase::recalled || !all_back(b)) return;
    b.now = bubble_phase::closed;  // and wanted still, by who waited and goes on in it, until it bursts
  }
  tell(incident::closed, b, b.returns_to);
  begin_at(b, b.returns_to);
  if (b.holder != nullptr && b.holder->now != bubble_phase::burst) return close_if_back(*b.holder);
  put_on(b, b.returns_to);
}

template <class P>
void crew<P>::check_slices(strand<P>& s) {
  bool sliced = false;
  for (const film<P>* b = s.holder; b != nullptr; b = b->holder) sliced = sliced || b->slice_ns != 0;
  if (!sliced) return;
  film<P>* over = nullptr;
  const holding<P> all(lock_);
  for (film<P>* b = s.holder; b != nullptr; b = b->holder) {
    if (b->slice_ns == 0 || b->now != bubble_phase::burst) continue;
    const auto others = head::unpacked(lists_[b->released_on].peek());
    const bool wait = others.what != head::kind::nothing && gives_way(b->priority, others.priority);
    if (slice_over(b->slice_ns, b->burst_ns.load(platform::relaxed), P::now_ns(), wait)) over = b;
  }
  if (over == nullptr) return;
  ++counts_.recalls;
  tell(incident::sliced, *over, over->members_area);
  over->returns_to = over->released_on;
  recall(*over);
}

// -- for who is idle --------------------------------------------------------------------------------------------------

// What waits and executes of it, and of those in it.
template <class P>
void crew<P>::see(film<P>& b, burst_seen& seen) noexcept {
  {
    const holding<P> one(lists_[b.members_area].lock());
    seen.running += b.running;
    for (const entity<P>* m = b.members; m != nullptr; m = m->sibling_after)
      if (m->what == head::kind::thread) seen.waiting += m->listed;
  }
  for (entity<P>* m = b.members; m != nullptr; m = m->sibling_after) {
    if (m->what != head::kind::bubble) continue;
    auto& inner = static_cast<film<P>&>(*m);
    if (inner.now == bubble_phase::closed) seen.waiting += inner.threads != 0;
    if (inner.now == bubble_phase::burst) see(inner, seen);
  }
}

template <class P>
bool crew<P>::rebalance(carrier<P>& c, bool takes) {
  const holding<P> all(lock_);
  film<P>* best = nullptr;
  regeneration what = regeneration::none;
  domain_id to = topology::root_domain;
  for (film<P>* b = burst_; b != nullptr; b = b->next_burst) {
    burst_seen seen;
    seen.within_reach = machine_[b->members_area].has(c.unit());
    seen.depth_given = b->depth != film<P>::depth_open;
    if (seen.within_reach || (b->stays && !deserted(b->members_area))) continue;
    see(*b, seen);
    seen.waiting -= std::min(seen.waiting, free_carriers(b->members_area));
    const regeneration r = for_idle(seen);
    if (r == regeneration::none) continue;
    const domain_id common = up_to(b->members_area, c.unit());
    const std::uint32_t near = machine_[common].depth;
    if (best != nullptr && (near < machine_[to].depth || (near == machine_[to].depth && b->amount() <= best->amount())))
      continue;
    best = b, what = r, to = common;
  }
  if (best == nullptr) return rescue(c, takes);
  if (!takes) return true;
  if (what == regeneration::widen) {
    ++counts_.widenings;
    tell(incident::widened, *best, to);
    widen(*best, to);
  } else {
    ++counts_.moves;
    tell(incident::moved, *best, to);
    best->returns_to = to;
    recall(*best);
    // Somebody has begun to execute some of it after all: nobody is to wait for that.
    if (best->now == bubble_phase::recalled) burst(*best, best->members_area);
  }
  return true;
}

// Z2: all that it released is within reach of more units from now on; what executes goes on.
template <class P>
void crew<P>::widen(film<P>& b, domain_id to) {
  b.widened = machine_[to].depth;
  const domain_id narrow = b.members_area;
  const both_lists both(*this, narrow, to);
  for (entity<P>* m = b.members; m != nullptr; m = m->sibling_after) {
    const domain_id from = m->area.load(platform::relaxed);  // relaxed: under lock_
    if (m->what == head::kind::bubble) {
      if (from != narrow) continue;
      rise(static_cast<film<P>&>(*m), to);
    }
    if (m->listed) {
      lists_[from].remove(*m);
      lists_[to].push(*m);
    }
    m->area.store(to, platform::release);  // pairs with put
  }
  b.members_area = to;
  rise(b, to);
}

template <class P>
void crew<P>::link_burst(film<P>& b) noexcept {
  b.before_burst = nullptr;
  b.next_burst = burst_;
  if (burst_ != nullptr) burst_->before_burst = &b;
  burst_ = &b;
}

template <class P>
void crew<P>::unlink_burst(film<P>& b) noexcept {
  (b.before_burst == nullptr ? burst_ : b.before_burst->next_burst) = b.next_burst;
  if (b.next_burst != nullptr) b.next_burst->before_burst = b.before_burst;
}

}  // namespace leat::bubbles
