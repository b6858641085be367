// The body of the crew, as far as threads are concerned: lists, look-up, carriers.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "leat/bubble/crew.hpp"

namespace leat::bubbles {

template <class P>
void crew<P>::run(strand<P>& first, worker& me) {
  const std::uint32_t carriers = me.home().config().workers;
  struct place {
    crew* home;
    std::uint32_t unit;
  };
  std::vector<place> places;
  for (std::uint32_t i = 0; i < carriers; ++i) places.push_back({this, (me.id() + i) % carriers});
  release(first);
  me.call_as_task_of(nullptr, [&] {
    // Each is a fork, and so taken by a worker that has nothing to do. The caller is the first.
    const auto each = [](std::size_t i, place& p, auto) { p.home->carry(i == 0 ? p.unit : no_unit); };
    task::fork_row<P>(task::plain_form<P>(), places.data(), 0, places.size(), each);
    // Those that stood in end as soon as they find that all is over.
    for (auto& s : stand_ins_) s.get();
  });
  while (visitors_.load(platform::acquire) != 0) P::yield();  // acquire: pairs with put_back
}

template <class P>
void crew<P>::carry(topology::unit_id unit) {
  worker& me = *worker::current();
  if (carries_here()) return;
  carrier<P> mine(*this, me, unit == no_unit ? me.id() : unit);
  mine.carry();
}

// Whether the calling worker carries us already, beneath a wait that took this as any task of the run: what is on top would
// not end before what is beneath.
template <class P>
bool crew<P>::carries_here() const noexcept {
  const carrier<P>* const c = carrier<P>::here();
  return c != nullptr && &c->home() == this;
}

template <class P>
void crew<P>::join_crew(carrier<P>& c) {
  const holding<P> all(carriers_lock_);
  const auto before = [](const carrier<P>* a, const carrier<P>* b) { return a->unit() < b->unit(); };
  carriers_.insert(std::ranges::upper_bound(carriers_, &c, before), &c);
}

template <class P>
void crew<P>::leave_crew(carrier<P>& c) noexcept {
  const holding<P> all(carriers_lock_);
  std::erase(carriers_, &c);
}

template <class P>
void crew<P>::count_out() noexcept {
  // acq_rel: what threads did happens before the crew is over.
  if (alive_.fetch_sub(1, platform::acq_rel) == 1) announce_to_all();
}

template <class P>
void crew<P>::announce_to_all() {
  const holding<P> all(carriers_lock_);
  for (carrier<P>* c : carriers_) c->who().notify();
}

// T5: something has come to the list of `area`. Whether somebody who rests there has been told.
template <class P>
bool crew<P>::announce(domain_id area, std::size_t count) {
  P::fence();  // pairs with begins_to_rest: one of the two sees the other
  if (resting_.load(platform::relaxed) == 0) return false;  // relaxed: the fence orders it
  const holding<P> carriers(carriers_lock_);
  bool told = false;
  // In turn, and where several things have come, far from each other: bubbles go down on the side of who is told.
  const std::size_t all = carriers_.size(), step = std::max<std::size_t>(all / count, 1), begin = told_;
  for (std::size_t offset = 0; offset < step; ++offset) {
    for (std::size_t i = offset; i < all; i += step) {
      carrier<P>* const c = carriers_[(begin + i) % all];
      // relaxed: one who is told looks at the lists, under their locks.
      if (!machine_[area].has(c->unit()) || c->idle.load(platform::relaxed) == 0) continue;
      if (c->idle.exchange(0, platform::relaxed) == 0) continue;
      told = true;
      told_ = (begin + i + 1) % all;
      // Who did not sleep may execute a task: another is told, too.
      if (c->who().notify() && --count == 0) return true;
    }
  }
  return told;
}

// T5: who has been told of one thing may have taken another: of what is left in its reach it tells somebody else. And it is one
// less that is free for that: one who rests elsewhere may take it over (Z).
template <class P>
void crew<P>::begins_to_work(carrier<P>& c) {
  P::fence();  // pairs with begins_to_rest: who looks for what it can take over sees that we are busy, or we that it rests
  if (resting_.load(platform::relaxed) == 0) return;  // relaxed: the fence orders it
  for (const domain_id d : c.path())
    if (lists_[d].peek() != 0) announce_member(d);
}

template <class P>
void crew<P>::release(strand<P>& s) {
  s.released = true;
  put(s, thread_phase::blocked);
}

// Under the list's lock: whether it is held by its bubble, and was the last that had not come back.
template <class P>
bool crew<P>::push_or_hold(strand<P>& s, list<P>& l) noexcept {
  film<P>* const b = s.holder;
  if (b == nullptr || b->now == bubble_phase::burst) {
    s.now = thread_phase::waiting;
    l.push(s);
    return false;
  }
  s.now = thread_phase::held;
  return b->now == bubble_phase::recalled && b->running == 0;
}

template <class P>
void crew<P>::put(strand<P>& s, thread_phase was) {
  film<P>* const b = s.holder;
  for (;;) {
    const domain_id area = s.area.load(platform::acquire);  // acquire: pairs with burst
    list<P>& l = lists_[area];
    l.lock().lock();
    if (s.area.load(platform::relaxed) != area) {  // relaxed: it changes under this lock
      l.lock().unlock();
      continue;
    }
    if (b != nullptr && was == thread_phase::running) --b->running;
    const bool last = push_or_hold(s, l);
    const bool held = b != nullptr && !s.listed;
    l.lock().unlock();
    // From here on another may execute it, and it may be gone.
    if (last) {
      const holding<P> all(lock_);
      close_if_back(*b);
    } else if (b == nullptr) {
      announce(area);
    } else if (!held) {
      announce_member(area);
    }
    return;
  }
}

template <class P>
void crew<P>::put_back(strand<P>& s) {
  carrier<P>* const c = carrier<P>::here();
  if (c != nullptr && &c->home() == this) return put(s, thread_phase::blocked);
  // Nothing else keeps the crew until we are done.
  visitors_.fetch_add(1, platform::relaxed);  // relaxed: the list's lock follows, and what ends the crew comes after it
  put(s, thread_phase::blocked);
  visitors_.fetch_sub(1, platform::release);  // pairs with run
}

template <class P>
void crew<P>::stops(strand<P>& s) noexcept {
  film<P>* const b = s.holder;
  if (b == nullptr) return;
  bool last = false;
  for (;;) {
    const domain_id area = s.area.load(platform::acquire);  // acquire: as in put
    const holding<P> one(lists_[area].lock());
    if (s.area.load(platform::relaxed) != area) continue;
    s.now = thread_phase::blocked;
    last = --b->running == 0 && b->now == bubble_phase::recalled;
    break;
  }
  if (!last) return;
  const holding<P> all(lock_);
  close_if_back(*b);
}

template <class P>
void crew<P>::goes_on(strand<P>& s) noexcept {
  if (s.holder == nullptr) return;
  for (;;) {
    const domain_id area = s.area.load(platform::acquire);  // acquire: as in put
    const holding<P> one(lists_[area].lock());
    if (s.area.load(platform::relaxed) != area) continue;
    return taken(s);
  }
}

template <class P>
strand<P>* crew<P>::look_up(carrier<P>& c, std::int32_t least) {
  c.who().poll();
  for (;;) {
    const found best = peek(c);
    if (!best || best.first().priority < least) return nullptr;
    if (best.first().what == head::kind::bubble) {
      const holding<P> all(lock_);
      deal_with_bubble(c);
      continue;
    }
    list<P>& l = lists_[c.path()[best.place]];
    const holding<P> one(l.lock());
    entity<P>* const first = l.first();
    // T2: it may have gone, and what is there now may be less than what another list has.
    if (first == nullptr || first->what != head::kind::thread || first->priority < best.first().priority) continue;
    l.remove(*first);
    auto& s = static_cast<strand<P>&>(*first);
    taken(s);
    return &s;
  }
}

// Puts `s`, which `c` executes, in the place of the first thread on the list that both belong on; that one, or null.
template <class P>
strand<P>* crew<P>::exchange(strand<P>& s, domain_id area) {
  list<P>& l = lists_[area];
  const holding<P> one(l.lock());
  if (s.area.load(platform::relaxed) != area) return nullptr;  // relaxed: it changes under this lock
  if (s.holder != nullptr && s.holder->now != bubble_phase::burst) return nullptr;
  entity<P>* const first = l.first();
  if (first == nullptr || first->what != head::kind::thread || !gives_way(s.priority, first->priority)) return nullptr;
  // As many are there as before, so nobody need be told.
  if (s.holder != nullptr) --s.holder->running;
  s.now = thread_phase::waiting;
  l.exchange(*first, s);
  auto* const next = static_cast<strand<P>*>(first);
  taken(*next);
  return next;
}

template <class P>
void crew<P>::yield(carrier<P>& c) {
  strand<P>& s = *c.current();
  c.who().poll();
  if (s.holder != nullptr) check_slices(s);
  const found best = peek(c);
  const bool gives = best && gives_way(s.priority, best.first().priority);
  const bool recalled = s.holder != nullptr && s.holder->wanted.load(platform::relaxed) != 0;  // relaxed: a hint
  if (!gives && !recalled) return;
  const domain_id area = s.area.load(platform::relaxed);  // relaxed: looked at again under the lock
  strand<P>* next = nullptr;
  if (gives && best.first().what == head::kind::thread && c.path()[best.place] == area) next = exchange(s, area);
  if (next != nullptr) return c.leave(next);
  if (gives) next = look_up(c, s.priority);
  if (next == nullptr && !recalled) return;
  put(s, thread_phase::running);
  c.leave(next);
}

template <class P>
template <class F>
void crew<P>::stand_in(carrier<P>& c, F blocked) {
  strand<P>* const s = c.current();
  if (s != nullptr) stops(*s);
  // It may come to be executed when the wait is over.
  struct post {
    spin_lock<P> lock;
    carrier<P>* carries = nullptr;
    bool begun = false;
    bool over = false;
  };
  const auto shared = std::make_shared<post>();
  auto other = task::async<P>([this, shared, unit = c.unit()] {
    if (carries_here()) return;
    std::optional<carrier<P>> mine(std::in_place, *this, *worker::current(), unit);
    {
      const holding<P> one(shared->lock);
      if (shared->over) return;
      shared->begun = true;
      shared->carries = &*mine;
    }
    mine->carry();
    const holding<P> one(shared->lock);
    shared->carries = nullptr;
  });
  blocked();
  if (s != nullptr) goes_on(*s);
  bool begun = false;
  {
    const holding<P> one(shared->lock);
    shared->over = true;
    begun = shared->begun;
    if (shared->carries != nullptr) shared->carries->dismiss();
  }
  if (!begun) return other.get();
  const holding<P> all(carriers_lock_);
  std::erase_if(stand_ins_, [](const auto& f) { return f.ready(); });
  stand_ins_.push_back(std::move(other));
}

}  // namespace leat::bubbles
