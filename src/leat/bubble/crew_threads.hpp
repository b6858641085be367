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
  struct unreleased {
    strand<P>* first;
    ~unreleased() {
      if (first == nullptr) return;
      first->at.end();
      delete first;
    }
  };
  unreleased mine{&first};
  std::vector<std::shared_ptr<seat<P>>> seats;  // of all workers but the caller
  for (std::uint32_t i = 1; i < me.workers(); ++i) seats.push_back(std::make_shared<seat<P>>(seat<P>::any_unit));
  runner_ = &me;
  me.runner.call_as_task_of(nullptr, [&] {
    using form = task::plain_form<P>;
    // Each seat is a fork, and so taken by a worker that has nothing to do.
    const auto each = [this](std::size_t, std::shared_ptr<seat<P>>& s, auto) { sit(s); };
    const auto others = [&](auto in) { task::fork_row<P>(in, seats.data(), 0, seats.size(), each); };
    const auto caller = [&](auto) { carry_first(mine.first, me); };
    alive_.fetch_add(1, platform::relaxed);  // T12; relaxed: the fork follows
    if (seats.empty()) carry_first(mine.first, me);
    else task::fork_two<P>(form(), form::with_form(caller), form::with_form(others));
    // Those who came to other seats end as soon as they find that all is over.
    me.waiter.work_until([this] { return offers_.load(platform::acquire) == 0; });  // acquire: pairs with offer
  });
  while (visitors_.load(platform::acquire) != 0) P::yield();  // acquire: pairs with visit
  const holding<P> all(lock_);
  trace_ = nullptr;  // bubbles may end later
}

// T12: if there is no memory for the caller's carrier nothing has begun, and the crew is over. `first` is null when it is released.
template <class P>
void crew<P>::carry_first(strand<P>*& first, worker& me) {
  struct count_of_first {
    crew& c;
    ~count_of_first() { c.count_out(); }
  };
  std::optional<carrier<P>> mine;
  {
    const count_of_first until_released{*this};
    mine.emplace(*this, me, me.id());
    release(*std::exchange(first, nullptr));
  }
  mine->carry();
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

// T5: `count` things have come to the list of `area`. How many there look at their lists, or do so soon.
template <class P>
std::size_t crew<P>::announce(domain_id area, std::size_t count) {
  // Pairs with the fence before a sleep (P1), after which who rests looks at its lists again, and with that in begins_to_work: one of
  // the two sees the other.
  P::fence();
  if (resting_.load(platform::relaxed) == 0) return 0;  // relaxed: the fence orders it
  const holding<P> carriers(carriers_lock_);
  std::size_t free = 0;
  // In turn, and where several things have come, far from each other: bubbles go down on the side of who is told.
  const std::size_t all = carriers_.size(), step = std::max<std::size_t>(all / count, 1), begin = told_;
  for (std::size_t offset = 0; offset < step; ++offset) {
    for (std::size_t i = offset; i < all; i += step) {
      carrier<P>* const c = carriers_[(begin + i) % all];
      // relaxed, all: one who is told looks at the lists, under their locks; one who is busy now has fenced, or will.
      if (!machine_[area].has(c->unit()) || c->busy.load(platform::relaxed) != 0) continue;
      ++free;
      if (c->idle.load(platform::relaxed) == 0 || c->idle.exchange(0, platform::relaxed) == 0) continue;
      told_ = (begin + i + 1) % all;
      c->who().notify();
      if (--count == 0) return free;
    }
  }
  return free;
}

// T5: who has been told of one thing may have taken another: of what is left in its reach it tells somebody else. And it is one
// less that is free for that: if nobody there is, one who rests elsewhere may take it over (Z).
template <class P>
void crew<P>::begins_to_work(carrier<P>& c) {
  // Pairs with that in announce: who told us saw that we were idle, and we see what it has put there. And with the addition in
  // begins_to_rest, after which who rests looks under locks for what it can take over: it sees that we are busy, or we it.
  P::fence();
  if (resting_.load(platform::relaxed) == 0) return;  // relaxed: the fence orders it
  for (const domain_id d : c.path())
    if (lists_[d].peek() != 0) announce_member(d);
}

template <class P>
void crew<P>::release(strand<P>& s) {
  s.released = true;
  alive_.fetch_add(1, platform::relaxed);  // relaxed: it is counted out later
  put(s, thread_phase::blocked);
  if (carries_here()) fill_seats();
}

// Under the list's lock.
template <class P>
void crew<P>::push_or_hold(strand<P>& s, list<P>& l) noexcept {
  film<P>* const b = s.holder;
  if (b == nullptr || b->now == bubble_phase::burst) {
    s.now = thread_phase::waiting;
    return l.push(s);
  }
  s.now = thread_phase::held;
}

template <class P>
void crew<P>::put(strand<P>& s, thread_phase was) {
  film<P>* const b = s.holder;
  std::optional<holding<P>> all;
  for (;;) {
    const domain_id area = s.area.load(platform::acquire);  // acquire: pairs with burst
    list<P>& l = lists_[area];
    l.lock().lock();
    if (s.area.load(platform::relaxed) != area) {  // relaxed: it changes under this lock
      l.lock().unlock();
      continue;
    }
    if (b != nullptr && b->now == bubble_phase::recalled && !all) {
      // It may be the one that closes the bubble (B5). Once it is put somebody else may do that, and then all of the bubble may
      // end and be gone: but not while we hold the crew's lock.
      l.lock().unlock();
      all.emplace(lock_);
      continue;
    }
    if (b != nullptr && was == thread_phase::running) --b->running;
    push_or_hold(s, l);
    const bool listed = s.listed;
    l.lock().unlock();
    // From here on another may execute it, and it may be gone.
    if (all) close_if_back(*b);
    if (b == nullptr) announce(area);
    else if (listed) announce_member(area);
    return;
  }
}

// Another thread than the crew's own is in it: the crew does not end before the visit does.
template <class P>
class crew<P>::visit {
 public:
  // relaxed: what the visitor does follows by a stronger operation, and what ends the crew comes after that.
  explicit visit(crew& c) noexcept : visitors_(c.visitors_) { visitors_.fetch_add(1, platform::relaxed); }
  visit(const visit&) = delete;
  visit& operator=(const visit&) = delete;
  ~visit() { visitors_.fetch_sub(1, platform::release); }  // pairs with run

 private:
  typename P::template atomic<std::uint32_t>& visitors_;
};

template <class P>
void crew<P>::put_back(strand<P>& s) {
  if (carries_here()) return put(s, thread_phase::blocked);
  const visit here(*this);
  put(s, thread_phase::blocked);
}

template <class P>
void crew<P>::put_back_first(waiter<P>*& told) {
  std::optional<visit> here;
  if (!carries_here()) here.emplace(*this);
  const domain_id area = told->who->area.load(platform::acquire);  // acquire: pairs with burst
  std::size_t listed = 0;
  bool members = false, first = false;
  {
    list<P>& l = lists_[area];
    const holding<P> one(l.lock());
    const auto belongs = [&](const strand<P>* s) {
      if (s == nullptr || &s->home != this || s->area.load(platform::relaxed) != area)
        return false;  // relaxed: as in put
      return s->holder == nullptr || s->holder->now != bubble_phase::recalled;
    };
    first = belongs(told->who);
    for (waiter<P>** w = &told; first && *w != nullptr;) {
      strand<P>* const s = (*w)->who;
      if (!belongs(s)) {
        w = &(*w)->next;
        continue;
      }
      *w = (*w)->next;
      push_or_hold(*s, l);
      listed += s->listed;
      members = members || s->holder != nullptr;
    }
  }
  // From here on others may execute them, and they may be gone.
  if (!first) return put(*std::exchange(told, told->next)->who, thread_phase::blocked);
  if (listed == 0) return;
  if (members) announce_member(area, listed);
  else announce(area, listed);
}

// relaxed, here and in take_back: counts.
template <class P>
void crew<P>::hold(strand<P>& s) noexcept {
  s.kept = this->shared_from_this();
  unbegun_.fetch_add(1, platform::relaxed);
}

template <class P>
bool crew<P>::take_back(strand<P>& s) noexcept {
  waiter<P>* told = nullptr;
  {
    const holding<P> all(lock_);
    if (s.released && (s.holder == nullptr || !s.holder->sleeps())) return false;
    if (s.released) {
      count_fewer(s.holder, 1, told);
      std::exchange(s.holder, nullptr)->remove(s);
    }
  }
  unbegun_.fetch_sub(1, platform::relaxed);
  tell_all(told);
  return true;
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
    strand<P>* const s = take_first(lists_[c.path()[best.place]], best.first().priority);
    if (s == nullptr) continue;
    fill_seats();
    return s;
  }
}

// The first on the list, if it is a thread of that priority or more (T2): it may have gone, and what is there now may be less
// than what another list has.
template <class P>
strand<P>* crew<P>::take_first(list<P>& l, std::int32_t least) {
  const holding<P> one(l.lock());
  entity<P>* const first = l.first();
  if (first == nullptr || first->what != head::kind::thread || first->priority < least) return nullptr;
  l.remove(*first);
  auto& s = static_cast<strand<P>&>(*first);
  taken(s);
  return &s;
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
  fill_seats();
  if (c.dismissed()) [[unlikely]] {
    put(s, thread_phase::running);
    return c.leave(nullptr);
  }
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
void crew<P>::polls(carrier<P>& c) {
  strand<P>& s = *c.current();
  if (s.holder == nullptr || !c.slice_may_be_over(s)) return;
  check_slices(s);
  if (s.holder->wanted.load(platform::relaxed) == 0)
    return;  // relaxed: a hint; who comes later is told at the next poll
  put(s, thread_phase::running);
  c.leave(nullptr);
}

}  // namespace leat::bubbles
