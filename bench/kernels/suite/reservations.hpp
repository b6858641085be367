// Greedy programs that go through items in order, in parallel (deterministic reservations: Blelloch, Fineman, Gibbons and
// Shun, "Internally deterministic parallel algorithms can be fast", PPoPP 2012). They find what the serial program finds.

#pragma once

#include "kernels/suite/loops.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace leat::kernels::suite {

/// No item.
inline constexpr std::uint32_t no_item = ~std::uint32_t{0};

/// The least item that wants a place gets it.
inline void reserve_place(std::uint32_t& place, std::uint32_t item) noexcept {
  // Relaxed, as all that is shared within a loop: its end comes before the places are read.
  const std::atomic_ref<std::uint32_t> holder(place);
  std::uint32_t before = holder.load(std::memory_order_relaxed);
  while (item < before && !holder.compare_exchange_weak(before, item, std::memory_order_relaxed)) {
  }
}

/// Goes through items [0, n) in rounds, of which each takes the first ones that are not done.
/// - `reserve(item)`: reads what items before this round did, and reserves what the item needs. Returns whether there is
///   something left to do for it.
/// - `commit(item)`: does it, if the item got all that it needs, and returns whether it is done. Else it is in the next round.
/// Both are called for several items at once, but no reserve beside a commit. The first item of a round is always done in
/// it, so there is an end.
template <class Loops, class Reserve, class Commit>
void commit_in_order(const Loops& by, std::size_t n, double ns, const Reserve& reserve, const Commit& commit) {
  constexpr std::size_t rounds_min = 32;  // few items are there twice or more, and each round is worth a loop
  constexpr std::size_t round_min = 1024;
  const std::size_t round_max = std::max(round_min, n / rounds_min);
  std::vector<std::uint32_t> round(std::min(n, round_max));
  std::vector<std::uint32_t> next(round.size());
  std::vector<std::uint8_t> left(round.size());
  std::size_t kept = 0;
  for (std::size_t taken = 0; taken < n || kept != 0;) {
    const std::size_t fresh = std::min(round_max - kept, n - taken);
    by.each(kept + fresh, ns, [&](std::size_t i) {
      if (i >= kept) round[i] = static_cast<std::uint32_t>(taken + i - kept);
      left[i] = reserve(round[i]) ? 1 : 0;
    });
    by.each(kept + fresh, ns, [&](std::size_t i) {
      if (left[i] != 0 && commit(round[i])) left[i] = 0;
    });
    taken += fresh;
    kept = by.pack(
        kept + fresh, 0.5, [&](std::size_t i) { return left[i] != 0; },
        [&](std::size_t i, std::size_t place) { next[place] = round[i]; });
    round.swap(next);
  }
}

}  // namespace leat::kernels::suite
