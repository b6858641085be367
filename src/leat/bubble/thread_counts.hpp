// How many green threads there are: numbers for new ones, and the count that says when all have ended (THREAD-10).
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// The count of threads that are alive comes to zero once, and stays there: a thread is released by one that
/// is counted, or by release_unless_over, which adds only to a count that is not zero. So carriers may go as
/// soon as they have seen the zero.
///
/// Any thread.
template <class P>
class thread_counts {
 public:
  // relaxed, both: a number orders nothing else.
  std::uint64_t number_thread() noexcept { return threads_.fetch_add(1, platform::relaxed); }
  std::uint32_t number_bubble() noexcept { return bubbles_.fetch_add(1, platform::relaxed); }

  /// One more is released, by a caller that is counted itself or before any carrier looks.
  void release() noexcept { alive_.fetch_add(1, platform::relaxed); }  // relaxed: end() of the same thread comes later

  /// So many more are released, unless all have ended: that is for good then. Whether they are.
  bool release_unless_over(std::size_t threads) noexcept {
    // relaxed, all: a count; end() of the same threads comes later.
    std::uint64_t alive = alive_.load(platform::relaxed);
    do {
      if (alive == 0) return false;
    } while (!alive_.compare_exchange_strong(alive, alive + threads, platform::relaxed, platform::relaxed));
    return true;
  }

  /// One has ended. Whether it was the last.
  bool end() noexcept { return alive_.fetch_sub(1, platform::acq_rel) == 1; }  // pairs with over, and with other ends

  /// Whether all that were released have ended: all that they did happens before a true answer.
  bool over() const noexcept { return alive_.load(platform::acquire) == 0; }  // acquire: pairs with end

  /// Threads that are held, and not released. Exact while no thread is made, woken or destroyed; so relaxed
  /// suffices.
  std::uint64_t unbegun() const noexcept { return unbegun_.load(platform::relaxed); }
  void hold() noexcept { unbegun_.fetch_add(1, platform::relaxed); }
  void unhold(std::uint64_t threads = 1) noexcept { unbegun_.fetch_sub(threads, platform::relaxed); }

 private:
  typename P::template atomic<std::uint64_t> alive_{0};
  typename P::template atomic<std::uint64_t> unbegun_{0};
  typename P::template atomic<std::uint64_t> threads_{0};
  typename P::template atomic<std::uint32_t> bubbles_{0};
};

}  // namespace leat::inline LEAT_ABI::bubbles
