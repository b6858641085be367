// Lists that threads only add to (SPAN-7).
#pragma once

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::strands {

/// Entries that have a member `next`. Any thread, without a lock. The list frees none of them.
template <class P, class T>
class list {
 public:
  /// The newest; the others follow it. acquire: pairs with add.
  T* first() const noexcept { return first_.load(platform::acquire); }

  /// Puts `made` in front. prepare() is called first, as soon as `made->next` is known; and once more if another thread has added an
  /// entry meanwhile.
  template <class F>
  void add(T* made, F prepare) noexcept {
    made->next = first();
    do prepare();
    // release: publishes the entry, pairs with first. acquire, both: prepare may read the next one.
    while (!first_.compare_exchange_weak(made->next, made, platform::acq_rel, platform::acquire));
  }
  void add(T* made) noexcept {
    add(made, [] {});
  }

  /// Leaves the entries to those that know them. While no other thread uses the list. relaxed: what begins next publishes it.
  void forget() noexcept {
    T* const newest = first_.load(platform::relaxed);
    T* oldest = newest;
    while (oldest != nullptr && oldest->next != nullptr) oldest = oldest->next;
    if (oldest != nullptr) oldest->next = forgotten_, forgotten_ = newest;
    first_.store(nullptr, platform::relaxed);
  }

 private:
  typename P::template atomic<T*> first_{nullptr};
  T* forgotten_ = nullptr;  // so that no leak checker takes them for lost
};

}  // namespace leat::inline LEAT_ABI::strands
