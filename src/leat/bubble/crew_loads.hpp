// The body of the crew, as far as the places of bubbles are concerned: what has gone down into each domain. Rule B1: docs/bubbles.md.
// All of it under the crew's lock.
#pragma once

#include <algorithm>

#include "leat/bubble/crew.hpp"

namespace leat::bubbles {

// The domain beneath `at` into which the bubble goes down: `mine`, that of the unit that looks, if no other one has less to do and
// somebody who takes it.
template <class P>
topology::domain_id crew<P>::least_loaded(const film<P>& b, domain_id at, domain_id mine) noexcept {
  domain_id best = mine;
  for (const domain_id d : machine_[at].children) {
    const bool less = goes_elsewhere(b.amount(), loads_[best], machine_[best].units, loads_[d], machine_[d].units);
    if (less && has_free(d)) best = d;
  }
  return best;
}

template <class P>
bool crew<P>::has_free(domain_id in) noexcept {
  const holding<P> all(carriers_lock_);
  return std::ranges::any_of(carriers_, [&](const carrier<P>* c) {
    return machine_[in].has(c->unit()) && c->busy.load(platform::relaxed) == 0;  // relaxed: an estimate
  });
}

template <class P>
std::size_t crew<P>::free_carriers(domain_id in) noexcept {
  const holding<P> all(carriers_lock_);
  std::size_t free = 0;
  // relaxed: an estimate
  for (const carrier<P>* c : carriers_) free += machine_[in].has(c->unit()) && c->busy.load(platform::relaxed) == 0;
  return free;
}

// Z1, for a bubble that has gone down to where nobody is free any more: it comes into the reach of `c`, which has nothing, or `c` only
// looks whether there is one.
template <class P>
bool crew<P>::rescue(carrier<P>& c, bool takes) {
  for (domain_id d = 0; d < loads_.size(); ++d) {
    const auto first = head::unpacked(lists_[d].peek());
    if (first.what != head::kind::bubble || machine_[d].has(c.unit()) || has_free(d)) continue;
    if (!takes) return true;
    film<P>* b = nullptr;
    {
      const holding<P> one(lists_[d].lock());
      if (lists_[d].first()->what != head::kind::bubble) continue;  // a thread has come before it
      b = static_cast<film<P>*>(lists_[d].first());
      lists_[d].remove(*b);
    }
    const domain_id to = up_to(d, c.unit());
    ++counts_.moves;
    tell(incident::moved, *b, to);
    rise(*b, to);
    put_on(*b, to);
    return true;
  }
  return false;
}

// It goes one level down.
template <class P>
void crew<P>::sink(film<P>& b, domain_id to) noexcept {
  if (b.sunk_to == b.sunk_from) b.sunk_work = b.amount();
  loads_[to] += b.sunk_work;
  b.sunk_to = to;
}

// It is no deeper than that any more.
template <class P>
void crew<P>::rise(film<P>& b, domain_id to) noexcept {
  while (b.sunk_to != b.sunk_from && machine_[b.sunk_to].depth > machine_[to].depth) {
    loads_[b.sunk_to] -= b.sunk_work;
    b.sunk_to = machine_[b.sunk_to].parent;
  }
  if (machine_[b.sunk_from].depth > machine_[to].depth) b.sunk_from = b.sunk_to = to;
}

// It lies there, and goes down from there.
template <class P>
void crew<P>::begin_at(film<P>& b, domain_id from) noexcept {
  rise(b, topology::root_domain);
  b.sunk_from = b.sunk_to = from;
}

}  // namespace leat::bubbles
