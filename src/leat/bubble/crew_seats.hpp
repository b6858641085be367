// The body of the crew, as far as seats are concerned: who comes to carry, and who stands in for those that block. Rules T7, T8.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "leat/bubble/crew.hpp"

namespace leat::bubbles {

/// While it lives, the worker of `c`, which is the caller's, is about to block, blocks or comes back, and another carrier takes
/// its place, if there is a worker for it (T7). Making one may throw std::bad_alloc.
template <class P>
class stand_in {
 public:
  explicit stand_in(carrier<P>& c) : c_(c), seat_(std::make_shared<seat<P>>(c.unit())) {
    if (c_.current() != nullptr) c_.home().stops(*c_.current());
    c_.blocks.store(1, platform::relaxed);  // relaxed: a hint
    try {
      c_.home().offer(seat_);
    } catch (...) {
      comes_back();
      throw;
    }
    c_.home().fill_seats();
  }
  stand_in(const stand_in&) = delete;
  stand_in& operator=(const stand_in&) = delete;
  ~stand_in() {
    comes_back();
    c_.home().clear(*seat_);
  }

 private:
  void comes_back() noexcept {
    c_.blocks.store(0, platform::relaxed);
    if (c_.current() != nullptr) c_.home().goes_on(*c_.current());
  }

  carrier<P>& c_;
  const std::shared_ptr<seat<P>> seat_;
};

template <class P>
void crew<P>::offer(const std::shared_ptr<seat<P>>& s) {
  class accepting {
   public:
    explicit accepting(crew& c) noexcept : offers_(c.offers_), runner_(*c.runner_) {}
    accepting(const accepting&) = delete;
    accepting& operator=(const accepting&) = delete;
    ~accepting() {
      worker& runner = runner_;  // the crew may be gone when it knows
      if (offers_.fetch_sub(1, platform::acq_rel) == 1) runner.notify();  // acq_rel: pairs with run
    }

   private:
    typename P::template atomic<std::uint32_t>& offers_;
    worker& runner_;
  };
  offers_.fetch_add(1, platform::relaxed);  // relaxed: we carry, so that run waits for us anyway
  try {
    task::spawn<P>([this, s] {
      const accepting it(*this);
      sit(s);
    });
  } catch (...) {
    offers_.fetch_sub(1, platform::relaxed);
    throw;
  }
}

// Whoever carries already, beneath a task or a wait that took this as any task of the run, is of no use in another seat: what is on
// top would not end before what is beneath.
template <class P>
void crew<P>::sit(const std::shared_ptr<seat<P>>& s) {
  if (carries_here()) {
    // On top of a rest: that ends now, and looks for what it can take over (Z). On top of a thread others are to look.
    if (make_vacant(s) && carrier<P>::here()->current() != nullptr) announce(topology::root_domain);
    return;
  }
  if (carry_on_when_it_can(*s)) return;
  // Dismissed. Of no use in another seat until now, but others may have been offered to it.
  fill_seats();
}

// T12: without memory for a carrier the worker tries again. If it went, it might be the one that others wait for.
template <class P>
bool crew<P>::carry_on_when_it_can(seat<P>& s) {
  for (;;) {
    try {
      return carry_on(s);
    } catch (const std::exception&) {  // of the carrier's constructor
      worker::current()->poll();
      P::sleep_ns(retry_ns);
    }
  }
}

// Carries as long as somebody is needed in the seat. Whether that was until the crew's end, or not at all.
template <class P>
bool crew<P>::carry_on(seat<P>& s) {
  if (over()) return true;
  worker& me = *worker::current();
  const auto take = [&](carrier<P>* c) {
    const holding<P> all(carriers_lock_);
    s.taken_by = c;
    return !s.over;
  };
  if (!take(nullptr)) return true;
  carrier<P> mine(*this, me, s.unit == seat<P>::any_unit ? me.id() : s.unit);
  if (take(&mine)) mine.carry();
  take(nullptr);
  return over();
}

template <class P>
bool crew<P>::make_vacant(const std::shared_ptr<seat<P>>& s) noexcept {
  const holding<P> all(carriers_lock_);
  if (s->over) return false;
  drop_vacant([](const seat<P>& v) { return v.over; });
  s->next = std::exchange(vacant_, s);
  vacancies_.fetch_add(1, platform::relaxed);  // relaxed: a hint
  return true;
}

// Under the carriers' lock. One by one: each has the next.
template <class P>
template <class Unwanted>
void crew<P>::drop_vacant(Unwanted unwanted) noexcept {
  for (std::shared_ptr<seat<P>>* at = &vacant_; *at != nullptr;) {
    if (!unwanted(**at)) {
      at = &(*at)->next;
      continue;
    }
    *at = std::shared_ptr<seat<P>>(std::move((*at)->next));
    vacancies_.fetch_sub(1, platform::relaxed);  // relaxed: a hint
  }
}

template <class P>
void crew<P>::offer_vacant() noexcept {
  std::shared_ptr<seat<P>> s;
  {
    const holding<P> all(carriers_lock_);
    do {
      s = vacant_;
      if (s == nullptr) return;
      vacant_ = std::move(s->next);
      vacancies_.fetch_sub(1, platform::relaxed);
    } while (s->over);
  }
  try {
    offer(s);
  } catch (const std::bad_alloc&) {
    make_vacant(s);
  }
}

template <class P>
void crew<P>::clear(seat<P>& s) noexcept {
  const holding<P> all(carriers_lock_);
  s.over = true;
  if (s.taken_by != nullptr) s.taken_by->dismiss();
}

// Whether all that carry in the area block, and one whose seat nobody has taken is among them (T8).
template <class P>
bool crew<P>::deserted(domain_id area) noexcept {
  const holding<P> all(carriers_lock_);
  for (const carrier<P>* c : carriers_)
    if (machine_[area].has(c->unit()) && c->blocks.load(platform::relaxed) == 0) return false;  // relaxed: a hint
  for (const seat<P>* s = vacant_.get(); s != nullptr; s = s->next.get())
    if (!s->over && s->unit != seat<P>::any_unit && machine_[area].has(s->unit)) return true;
  return false;
}

}  // namespace leat::bubbles
