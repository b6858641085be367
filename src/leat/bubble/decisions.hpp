// The decisions of the scheduler of bubbles: pure functions, no platform, no lists. The rules THREAD, BUBBLE and
// REGENERATION that comments cite are those of docs/internals/bubbles.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// The part of a list that can be read without its lock: the highest priority on it, and the kind of the
/// first entity with that.
struct head {
  enum class kind : std::uint8_t { nothing, thread, bubble };

  std::int32_t priority = 0;
  kind what = kind::nothing;

  /// As one word: 0 if nothing is there; a head of a higher priority is a larger word.
  std::uint64_t packed() const noexcept {
    if (what == kind::nothing) return 0;
    return (static_cast<std::uint64_t>(std::int64_t{priority} - INT32_MIN) << 2) | static_cast<std::uint64_t>(what);
  }
  static head unpacked(std::uint64_t word) noexcept {
    if (word == 0) return {};
    return {static_cast<std::int32_t>(static_cast<std::int64_t>(word >> 2) + INT32_MIN), static_cast<kind>(word & 3)};
  }
};

/// The place of a list among those that cover a unit, 0 the most local, and its packed head.
struct found {
  std::size_t place = 0;
  std::uint64_t word = 0;

  explicit operator bool() const noexcept { return word != 0; }
  head first() const noexcept { return head::unpacked(word); }
};

/// THREAD-1: of the lists that cover a unit, that with the highest priority; the most local one of several.
/// `peek(place)` gives a list's packed head. O(levels). Paper: Thibault, "A Flexible Thread Scheduler for
/// Hierarchical Multiprocessor Machines" (2005), section 4.
template <class Peek>
found best_of(std::size_t levels, Peek peek) {
  constexpr std::uint64_t kind_bits = 3;  // a word with these set is above all of its priority
  found best;
  std::uint64_t least = 1;
  for (std::size_t place = 0; place < levels; ++place) {
    const std::uint64_t word = peek(place);
    if (word < least) [[likely]]
      continue;
    best = {place, word};
    least = (word | kind_bits) + 1;
  }
  return best;
}

/// How a bubble's members belong together.
enum class affinity : std::uint8_t {
  none,  ///< nothing: the bubble bursts where it is released, within reach of all that are idle there
  data,  ///< they share data: it bursts in the smallest domain that has a unit for each
  symbiosis  ///< they complement each other on one core: it bursts in the smallest domain of two units or more
};

/// BUBBLE-2: the depth at which a bubble with so many threads bursts, if the program has not said it. `units(depth)`:
/// how many units the domain at that depth has, of those above the unit that looks, from `released`, where the
/// bubble was released, to `leaf`.
template <class Units>
std::uint32_t burst_depth(affinity kind, std::size_t threads, std::uint32_t released, std::uint32_t leaf, Units units) {
  if (kind == affinity::none) return released;
  const std::size_t wanted = kind == affinity::symbiosis ? std::min<std::size_t>(threads, 2) : threads;
  std::uint32_t depth = released;
  while (depth < leaf && units(depth + 1) >= std::max<std::size_t>(wanted, 1)) ++depth;
  return depth;
}

/// BUBBLE-1: whether a bubble of so much work goes down into another domain than that of the unit that looks.
/// `here` and `there` are the loads that have gone down into each already. The domain with less load for each
/// of its units, this bubble counted, wins.
/// A tie stays on the side of the unit that looks. Loads are compared crosswise, as load for each unit, without a
/// division.
constexpr bool goes_elsewhere(double work, double here, std::size_t units_here, double there,
                              std::size_t units_there) noexcept {
  return (there + work) * static_cast<double>(units_here) < (here + work) * static_cast<double>(units_there);
}

/// A bubble that has burst elsewhere, as an idle unit finds it.
struct burst_seen {
  bool within_reach = false;  ///< of the unit, whose look-up has found nothing of it
  bool depth_given = false;  ///< by the program: the bubble may move, but bursts at no other depth
  std::size_t waiting = 0;  ///< members on lists
  std::size_t running = 0;  ///< members that execute
};

enum class regeneration : std::uint8_t { none, move, widen };

/// REGENERATION-1, REGENERATION-2: how an idle unit regenerates it. A bubble of which nothing executes, though
/// something could, has no unit to spare for it: it moves. One of which some threads execute and some wait bursts again
/// in a domain that has more units.
constexpr regeneration for_idle(const burst_seen& b) noexcept {
  if (b.within_reach || b.waiting == 0) return regeneration::none;
  if (b.running == 0) return regeneration::move;
  return b.depth_given ? regeneration::none : regeneration::widen;
}

/// REGENERATION-3: whether a bubble whose slice began at `since_ns` is to be regenerated; `others_wait`: for its units,
/// with its priority or a higher one. slice_ns 0: it has no slice.
constexpr bool slice_over(std::uint64_t slice_ns, std::uint64_t since_ns, std::uint64_t now_ns,
                          bool others_wait) noexcept {
  return slice_ns != 0 && others_wait && now_ns - since_ns >= slice_ns;
}

/// THREAD-3: whether a thread of priority `mine` gives way to the first entity of a list, of priority `other`.
constexpr bool gives_way(std::int32_t mine, std::int32_t other) noexcept { return other >= mine; }

}  // namespace leat::inline LEAT_ABI::bubbles
