// What the workers did, in numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI {

/// The events that are counted.
enum class event : std::uint8_t {
  tasks,               ///< tasks executed
  inlined,             ///< of these, run in place because memory for a larger deque was short
  steals,              ///< answers that brought tasks
  tasks_stolen,        ///< tasks that they brought
  steals_outside,      ///< steals from a worker of another place, where `prell` has several
  steals_half,         ///< steals whose thief had asked for half of the tasks, and not for one
  attempts,            ///< tries of a thief to take what a victim has made public
  taken,               ///< steals by the thief's own hand, of what was public
  exposed,             ///< tasks and forks that were made public because a thief wanted some
  unstolen,            ///< of these, taken back by their owner
  splits,              ///< parts of loops that were cut off for another worker, and executed there
  requests_sent,       ///< steal requests that a thief sent
  requests_forwarded,  ///< that a victim passed on
  requests_pooled,     ///< that came to the idle pool
  requests_revoked,    ///< that the thief took back before a receiver had opened them
  updates,             ///< updates that victims sent to the manager
  offers,              ///< offers of tasks to pooled requests
  dummies,             ///< answers without tasks: requests revoked
  pauses,              ///< times that a thief waited before it asked, as its last steal had not been worth it
  parks,               ///< times that a worker went to sleep
  wakes,               ///< sleepers that an answer woke
  interrupts,          ///< interrupts that thieves sent to busy workers
  interrupted_polls,   ///< polls that a worker made because it was interrupted
  fences,              ///< on the counted platform (else always 0): full fences,
  cas,                 ///< compare-and-exchanges,
  rmw,                 ///< other read-modify-writes,
  signals,             ///< interrupts
  waits_nested_max,    ///< not a sum but the most waits that a worker was in, one inside the other
};

/// In the order of the enumerators: counters are indexed by both.
inline constexpr std::array<std::string_view, 28> event_names = {"tasks",
                                                                 "inlined",
                                                                 "steals",
                                                                 "tasks_stolen",
                                                                 "steals_outside",
                                                                 "steals_half",
                                                                 "attempts",
                                                                 "taken",
                                                                 "exposed",
                                                                 "unstolen",
                                                                 "splits",
                                                                 "requests_sent",
                                                                 "requests_forwarded",
                                                                 "requests_pooled",
                                                                 "requests_revoked",
                                                                 "updates",
                                                                 "offers",
                                                                 "dummies",
                                                                 "pauses",
                                                                 "parks",
                                                                 "wakes",
                                                                 "interrupts",
                                                                 "interrupted_polls",
                                                                 "fences",
                                                                 "cas",
                                                                 "rmw",
                                                                 "signals",
                                                                 "waits_nested_max"};

inline constexpr std::size_t event_count = event_names.size();

/// Totals of the events. A value; no thread safety of its own. Sums of workers are taken while these count on, so
/// related counts may be apart by a few.
struct counters {
  std::array<std::uint64_t, event_count> values{};

  std::uint64_t operator[](event e) const { return values[static_cast<std::size_t>(e)]; }

  /// Calls f(name, value) for each event, in a fixed order.
  template <class F>
  void for_each(F f) const {
    for (std::size_t i = 0; i < event_count; ++i) f(event_names[i], values[i]);
  }

  counters& operator+=(const counters& o) {
    for (std::size_t i = 0; i < event_count; ++i) {
      values[i] = is_maximum(i) ? std::max(values[i], o.values[i]) : values[i] + o.values[i];
    }
    return *this;
  }

  /// What happened between two readings; a maximum is that of the later one.
  friend counters operator-(counters late, const counters& early) {
    for (std::size_t i = 0; i < event_count; ++i) {
      if (!is_maximum(i)) late.values[i] -= early.values[i];
    }
    return late;
  }

 private:
  static constexpr bool is_maximum(std::size_t i) { return i == static_cast<std::size_t>(event::waits_nested_max); }
};

namespace events {

/// One worker's counts. The worker alone writes; any thread may read.
template <class P>
class tally {
 public:
  void add(event e, std::uint64_t n = 1) noexcept {
    auto& value = values_[static_cast<std::size_t>(e)];
    // relaxed, and no read-modify-write: one writer; a reader may be one behind.
    value.store(value.load(platform::relaxed) + n, platform::relaxed);
  }

  void at_least(event e, std::uint64_t n) noexcept {
    auto& value = values_[static_cast<std::size_t>(e)];
    if (value.load(platform::relaxed) < n) value.store(n, platform::relaxed);  // relaxed: as in add
  }

  void set(event e, std::uint64_t n) noexcept { values_[static_cast<std::size_t>(e)].store(n, platform::relaxed); }

  std::uint64_t operator[](event e) const noexcept {
    return values_[static_cast<std::size_t>(e)].load(platform::relaxed);
  }

  counters read() const noexcept {
    counters c;
    for (std::size_t i = 0; i < event_count; ++i) c.values[i] = values_[i].load(platform::relaxed);
    return c;
  }

 private:
  std::array<typename P::template atomic<std::uint64_t>, event_count> values_{};
};

}  // namespace events
}  // namespace leat::inline LEAT_ABI
