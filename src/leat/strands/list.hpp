// Lists that threads only add to (SPAN-7).
#pragma once

#include <memory>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::strands {

/// Entries that have a member `next`. Any thread, without a lock. The list frees none of them.
template <class P, class T>
class list {
 public:
  /// The newest; the others follow it. acquire: pairs with add.
  T* first() const noexcept { return first_.load(platform::acquire); }

  /// Puts `made` in front.
  void add(T* made) noexcept {
    made->next = first();
    // release: publishes the entry, pairs with first. acquire, else: the entry leads to the next one.
    while (!first_.compare_exchange_weak(made->next, made, platform::acq_rel, platform::acquire));
  }

  /// The entry that is_it() accepts. If there is none, make(newest) makes one, and is called again if another thread has added an entry
  /// meanwhile.
  template <class Is, class Make>
  T* find_or_add(Is is_it, Make make) {
    T* seen = nullptr;  // this and those behind it are not wanted
    for (T* newest = first();;) {
      for (T* one = newest; one != seen; one = one->next) {
        if (is_it(*one)) return one;
      }
      seen = newest;
      auto made = std::unique_ptr<T>(make(newest));
      made->next = newest;
      // release: publishes the entry, pairs with first. acquire, else: the search goes on there.
      if (first_.compare_exchange_strong(newest, made.get(), platform::acq_rel, platform::acquire))
        return made.release();
    }
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
