// The body of the crew, as far as what is in a bubble is concerned: how it comes there, begins and ends, and what becomes of it where it
// never begins. Rules T10, T11: docs/bubbles.md.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "leat/bubble/crew.hpp"
#include "leat/bubble/waiting.hpp"

namespace leat::bubbles {

// Of `threads` that are to begin, `held` have been counted as held. As long as some other thread has not ended, carriers are
// there that execute them. Under lock_.
template <class P>
void crew<P>::begins(const char* what, std::size_t threads, std::uint64_t held) {
  // relaxed, all: counts; a thread is counted out later.
  std::uint64_t alive = alive_.load(platform::relaxed);
  do {
    if (alive == 0)
      throw std::logic_error(std::string("leat::bubble::") + what + ": all threads of its run_threads have ended");
  } while (!alive_.compare_exchange_strong(alive, alive + threads, platform::relaxed, platform::relaxed));
  unbegun_.fetch_sub(held, platform::relaxed);
}

template <class P>
void crew<P>::insert(film<P>& into, strand<P>& s) {
  const holding<P> all(lock_);
  if (into.now == bubble_phase::joined) throw std::logic_error("leat::bubble::insert: the bubble has been joined");
  if (s.holder != nullptr) throw std::logic_error("leat::bubble::insert: the thread is in a bubble already");
  if (s.released) throw std::logic_error("leat::bubble::insert: the thread was started outside of bubbles");
  const bool is_counted = s.kept != nullptr;
  if (!into.sleeps()) begins("insert", 1, is_counted ? 1 : 0);
  else if (!is_counted) unbegun_.fetch_add(1, platform::relaxed);  // relaxed: a count
  into.add(s);
  s.released = true;
  for (film<P>* b = &into; b != nullptr; b = b->holder) ++b->threads;
  if (into.now != bubble_phase::burst) return;
  s.area.store(into.members_area, platform::release);  // pairs with put
  {
    const holding<P> one(lists_[into.members_area].lock());
    push_or_hold(s, lists_[into.members_area]);
  }
  announce_member(into.members_area);
}

template <class P>
void crew<P>::insert(film<P>& into, film<P>& b) {
  const holding<P> all(lock_);
  if (into.now == bubble_phase::joined) throw std::logic_error("leat::bubble::insert: the bubble has been joined");
  if (b.now != bubble_phase::filling)
    throw std::logic_error("leat::bubble::insert: the bubble inside was woken already");
  if (b.holder != nullptr) throw std::logic_error("leat::bubble::insert: the bubble is in another one already");
  for (const film<P>* outer = &into; outer != nullptr; outer = outer->holder)
    if (outer == &b) throw std::logic_error("leat::bubble::insert: the bubble would be inside itself");
  if (!into.sleeps()) begins("insert", b.threads, b.threads);
  into.add(b);
  for (film<P>* outer = &into; outer != nullptr; outer = outer->holder) outer->threads += b.threads;
  tell(incident::inserted, b, topology::root_domain, into.number);
  if (into.now == bubble_phase::filling) return;
  b.now = bubble_phase::closed;
  if (into.now != bubble_phase::burst) return;
  b.released_on = b.returns_to = into.members_area;
  begin_at(b, into.members_area);
  tell(incident::released, b, into.members_area);
  put_on(b, into.members_area);
}

template <class P>
void crew<P>::wake(film<P>& b) {
  const holding<P> all(lock_);
  if (b.holder != nullptr) throw std::logic_error("leat::bubble::wake: the bubble that it is in wakes it");
  if (b.now != bubble_phase::filling) throw std::logic_error("leat::bubble::wake: the bubble was woken already");
  begins("wake", b.threads, b.threads);
  b.now = bubble_phase::closed;
  tell(incident::woken, b, topology::root_domain);
  put_on(b, topology::root_domain);
}

template <class P>
bool crew<P>::join(film<P>& b, waiter<P>* w) {
  const holding<P> all(lock_);
  if (b.now == bubble_phase::joined) return true;
  if (b.now == bubble_phase::filling && b.holder == nullptr && b.members != nullptr)
    throw std::logic_error("leat::bubble::join: the bubble was not woken");
  if (b.threads == 0) return finish(b), true;
  if (w != nullptr) b.joiners.push(*w);
  return false;
}

template <class P>
void crew<P>::finish(film<P>& b) noexcept {
  while (b.members != nullptr) finish(static_cast<film<P>&>(*b.members));  // its threads have ended
  unlist(b);
  begin_at(b, topology::root_domain);
  if (b.now == bubble_phase::burst) unlink_burst(b);
  if (b.holder != nullptr) {
    if (b.holder->failure == nullptr) b.holder->failure = std::exchange(b.failure, nullptr);
    std::exchange(b.holder, nullptr)->remove(b);
  }
  b.now = bubble_phase::joined;
  tell(incident::ended, b, topology::root_domain);
}

template <class P>
bool crew<P>::discard(film<P>& b) noexcept {
  entity<P>* dropped = nullptr;
  waiter<P>* told = nullptr;
  {
    const holding<P> all(lock_);
    if (b.now == bubble_phase::joined) return true;
    if (b.threads != 0 && !b.sleeps()) return false;
    if (b.threads != 0) disband(b, dropped, told);
    finish(b);
  }
  tell_all(told);
  while (dropped != nullptr) {
    auto& s = static_cast<strand<P>&>(*std::exchange(dropped, dropped->sibling_after));
    s.at.end();
    delete &s;  // with its callable, of which the destructor may do anything
  }
  keep(take_failure(b));
  return true;
}

template <class P>
void gather(line<P>& from, waiter<P>*& into) noexcept {
  for (waiter<P>* w = from.take(); w != nullptr;) w = std::exchange(w->next, std::exchange(into, w));
}

// Of `in`, and of the bubbles around it, so many threads are gone. Joiners for the last of them are added to `told`.
template <class P>
void crew<P>::count_fewer(film<P>* in, std::size_t threads, waiter<P>*& told) noexcept {
  for (; in != nullptr; in = in->holder)
    if ((in->threads -= threads) == 0) gather(in->joiners, told);
}

// Takes out all that is in the sleeping bubble `b`, and that never began. Bubbles, and threads with a handle, are as before they were
// inserted. The others are dropped.
template <class P>
void crew<P>::disband(film<P>& b, entity<P>*& dropped, waiter<P>*& told) noexcept {
  count_fewer(b.holder, b.threads, told);
  b.threads = 0;
  while (b.members != nullptr) {
    entity<P>& m = *b.members;
    b.remove(m);
    m.holder = nullptr;
    if (m.what == head::kind::bubble) {
      gather(static_cast<film<P>&>(m).joiners, told);  // they look again, and join throws
    } else if (!gives_back(static_cast<strand<P>&>(m), told)) {
      unbegun_.fetch_sub(1, platform::relaxed);  // relaxed: a count
      m.sibling_after = std::exchange(dropped, &m);
    }
  }
}

// Whether a handle has the thread. Its joiners are added to `told`, and their join throws, for the thread will not begin.
template <class P>
bool crew<P>::gives_back(strand<P>& s, waiter<P>*& told) noexcept {
  const holding<P> one(s.gate);
  if (!s.has_handle) return false;
  s.released = !s.joiners.empty();
  if (!s.released) return true;
  s.ended = true;
  s.failure = std::make_exception_ptr(std::logic_error(
      "leat::thread::join: the thread never began: the bubble that it was in was destroyed before its wake"));
  gather(s.joiners, told);
  s.at.end();
  s.users.fetch_sub(1, platform::relaxed);  // relaxed: the handle's user is told after this
  unbegun_.fetch_sub(1, platform::relaxed);  // relaxed: a count
  return true;
}

template <class P>
std::exception_ptr crew<P>::take_failure(film<P>& b) noexcept {
  const holding<P> all(lock_);
  return std::exchange(b.failure, nullptr);
}

template <class P>
void crew<P>::keep(std::exception_ptr failure) noexcept {
  if (failure == nullptr) return;
  const holding<P> all(lock_);
  if (failure_ == nullptr) failure_ = std::move(failure);
}

template <class P>
void crew<P>::ends(strand<P>& s) noexcept {
  film<P>* const b = s.holder;
  std::exception_ptr dropped;
  waiter<P>* joiners = nullptr;
  {
    const holding<P> one(s.gate);
    s.ended = true;
    joiners = s.joiners.take();
    if (!s.has_handle) dropped = std::exchange(s.failure, nullptr);
  }
  tell_all(joiners);
  if (b == nullptr) return keep(std::move(dropped));
  stops(s);
  joiners = nullptr;
  {
    const holding<P> all(lock_);
    b->remove(s);
    s.holder = nullptr;  // the handle's destructor does not look there
    if (b->failure == nullptr) b->failure = std::move(dropped);
    count_fewer(b, 1, joiners);
    for (film<P>* outer = b; outer != nullptr; outer = outer->holder)
      if (outer->threads == 0) begin_at(*outer, topology::root_domain);
  }
  // From here on the bubbles may be gone.
  tell_all(joiners);
}

}  // namespace leat::bubbles
