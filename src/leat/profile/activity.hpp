// What a worker's thread does, as a profile tells it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::profile {

enum class activity : std::uint8_t {
  running,         ///< in a task
  searching,       ///< idle, and awake
  asleep,          ///< idle, and asleep
  waiting,         ///< in a join, or in a wait for a group, a future or all tasks
  asleep_waiting,  ///< asleep in such a wait
  answering,       ///< in the runtime's own code for any other reason: polls, and short steps
  blocked,         ///< in leat::blocking
  outside          ///< no thread is the worker
};

/// The letters of the profile file, in the order of the enumerators.
inline constexpr std::string_view activity_letters = "rszwyabo";
inline constexpr std::size_t activity_count = activity_letters.size();

constexpr std::size_t index_of(activity a) noexcept { return static_cast<std::size_t>(a); }

}  // namespace leat::inline LEAT_ABI::profile
