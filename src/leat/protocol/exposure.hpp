// What a worker makes public of its tasks, so that others may take it without being answered (LCWS section 3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leat::protocol {

/// What becomes public, and when.
enum class exposure : std::uint8_t {
  none,          ///< nothing: thieves are answered (channel)
  all,           ///< everything, at once (chase-lev)
  user,  ///< the oldest task, when somebody asked and the owner comes to a join, a push or a pop (split-user)
  signal,  ///< the same, but who asks interrupts the owner (split-signal)
  conservative,  ///< the same, unless the owner has no other of its kind (split-conservative)
  half,  ///< half of the tasks, as signal (split-half)
};

/// What a scheduler of that name makes public.
constexpr exposure exposure_of(std::string_view scheduler) {
  if (scheduler == "chase-lev") return exposure::all;
  if (scheduler == "split-user") return exposure::user;
  if (scheduler == "split-signal") return exposure::signal;
  if (scheduler == "split-conservative") return exposure::conservative;
  if (scheduler == "split-half") return exposure::half;
  return exposure::none;
}

/// Whether who wants a task interrupts its victim.
constexpr bool interrupts(exposure e) { return e >= exposure::signal; }

/// How many of `tasks` private tasks are made public for who asked.
constexpr std::size_t exposed(exposure e, std::size_t tasks) {
  switch (e) {
    case exposure::none: return 0;
    case exposure::all: return tasks;
    case exposure::user:
    case exposure::signal: return tasks == 0 ? 0 : 1;
    case exposure::conservative: return tasks < 2 ? 0 : 1;
    case exposure::half: return (tasks + 1) / 2;
  }
  return 0;
}

}  // namespace leat::protocol
