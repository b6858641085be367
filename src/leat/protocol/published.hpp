// The schedulers that papers describe (published/), by name, and what sets one apart from another. Pure functions: no
// atomics, no clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::protocol {

enum class published : std::uint8_t {
  none,               ///< leat's own scheduler, `channel`
  prell,  ///< private deques, steal requests and tasks over channels (Prell and Rauber; the thesis, 3 and 4)
  work_stealing,  ///< every task is public (Chase and Lev; LCWS's and the thesis's baseline)
  lcws_user,  ///< a split deque, whose owner makes a task public when it next takes one (LCWS, 3)
  lcws_signal,  ///< the same, at once, by a signal (LCWS, 4)
  lcws_conservative,  ///< as lcws_signal, but the only task stays private (LCWS, 4.1.1)
  lcws_half,  ///< as lcws_signal, and half of the tasks become public (LCWS, 4.1.2)
};

struct named_scheduler {
  std::string_view name;
  published which;
};

/// In the order in which messages list them, and comparisons run them.
inline constexpr std::array<named_scheduler, 7> schedulers{{{"channel", published::none},
                                                            {"prell", published::prell},
                                                            {"work-stealing", published::work_stealing},
                                                            {"lcws-user", published::lcws_user},
                                                            {"lcws-signal", published::lcws_signal},
                                                            {"lcws-conservative", published::lcws_conservative},
                                                            {"lcws-half", published::lcws_half}}};

/// The scheduler of that name; `none` for any other name.
constexpr published published_of(std::string_view name) {
  for (const named_scheduler& s : schedulers) {
    if (s.name == name) return s.which;
  }
  return published::none;
}

/// The name of that scheduler.
constexpr std::string_view name_of(published p) {
  for (const named_scheduler& s : schedulers) {
    if (s.which == p) return s.name;
  }
  return {};
}

/// Whether each push, pop and join comes to the processor, and not only where something is pending.
constexpr bool comes_each_time(published p) { return p == published::prell || p == published::work_stealing; }

/// Whether a thief that finds nothing public sends its victim a signal.
constexpr bool signals(published p) { return p >= published::lcws_signal; }

/// The fewest private tasks at which a victim exposes one.
constexpr std::size_t exposes_from(published p) { return p == published::lcws_conservative ? 2 : 1; }

/// How many of `tasks` private tasks become public at once (LCWS, update_public_bottom). Half is rounded to the nearest, and
/// to the even number between two; of fewer than three it is one.
constexpr std::size_t exposed(published p, std::size_t tasks) {
  if (tasks < exposes_from(p)) return 0;
  if (p != published::lcws_half || tasks < 3) return 1;
  const std::size_t half = tasks / 2;
  return tasks % 2 == 0 ? half : half + half % 2;
}

}  // namespace leat::inline LEAT_ABI::protocol
