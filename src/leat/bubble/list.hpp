// The list of a domain: threads and bubbles that any unit of the domain may take, the highest priority first.
#pragma once

#include <cassert>
#include <cstdint>

#include "leat/bubble/entity.hpp"
#include "leat/bubble/spin_lock.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// All but peek under its lock. Entities of one priority are taken in the order in which they came. The head,
/// which is read without the lock, always says what is first: push, remove and exchange write it when that
/// changes. Each list has a cache line of its own: every look-up of every unit beneath reads the head, and a
/// change of the list beside it must not take that line away.
template <class P>
class alignas(platform::cache_line) list {
 public:
  spin_lock<P>& lock() noexcept { return lock_; }

  /// The packed head. Any thread, without the lock: the entity may be gone when the lock has been taken. One
  /// load.
  std::uint64_t peek() const noexcept { return head_.load(platform::relaxed); }  // relaxed: THREAD-2 looks again

  /// O(entities of lower priority). In line wherever a thread or a bubble is put: most have one of these on their way.
  [[gnu::always_inline]] void push(entity<P>& e) noexcept {
    assert(!e.listed);
    entity<P>* place = last_;
    while (place != nullptr && place->priority < e.priority) place = place->before;
    e.before = place;
    e.after = place == nullptr ? first_ : place->after;
    (e.before == nullptr ? first_ : e.before->after) = &e;
    (e.after == nullptr ? last_ : e.after->before) = &e;
    e.listed = true;
    if (first_ == &e) publish();
  }

  entity<P>* first() const noexcept { return first_; }

  void remove(entity<P>& e) noexcept {
    assert(e.listed);
    (e.before == nullptr ? first_ : e.before->after) = e.after;
    (e.after == nullptr ? last_ : e.after->before) = e.before;
    e.listed = false;
    if (e.before == nullptr) publish();
  }

  /// Takes `first`, which is the first one, and puts `e` in. The head is never empty meanwhile, so a carrier
  /// that peeks finds something and does not go to rest: `remove` and then `push` would publish an empty list
  /// in between.
  void exchange(entity<P>& first, entity<P>& e) noexcept {
    assert(first_ == &first);
    first_ = first.after;
    (first_ == nullptr ? last_ : first_->before) = nullptr;
    first.listed = false;
    push(e);
    if (first_ != &e) publish();
  }

 private:
  [[gnu::always_inline]] void publish() noexcept {
    const head h = first_ == nullptr ? head{} : head{first_->priority, first_->what};
    // relaxed: a carrier that acts on it takes the lock; one that sleeps has fenced before it read it (THREAD-5).
    head_.store(h.packed(), platform::relaxed);
  }

  typename P::template atomic<std::uint64_t> head_{0};
  spin_lock<P> lock_;
  entity<P>* first_ = nullptr;
  entity<P>* last_ = nullptr;
};

}  // namespace leat::inline LEAT_ABI::bubbles
