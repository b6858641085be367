// Kinds of work, as far as two threads on one core are in each other's way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// What of a core work needs most. Machine files say how work of one kind slows work of another down (`smt_pairs`).
enum class work_kind : std::uint8_t {
  any,       ///< not said
  integer,   ///< its integer units
  floating,  ///< its floating-point units
  memory     ///< its paths to memory
};

inline constexpr std::size_t work_kinds = 4;
inline constexpr std::array<std::string_view, work_kinds> work_kind_names{"any", "integer", "floating", "memory"};

}  // namespace leat::inline LEAT_ABI::platform
