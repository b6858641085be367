// The operations of a recording, by their numbers (docs/internals/spans.md).
#pragma once

#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::strands {

enum class op : std::uint8_t {
  strand = 0,
  fork = 1,
  branch = 2,
  join = 3,
  elsewhere = 4,
  segment = 5,
  end = 6,
  spawn = 7,
  wait = 8,
  barrier = 9,
  loop = 10,
  block = 11,
  open_block = 12,
  loop_end = 13,
  future = 14,
  await = 15,
  blocking = 16,
  run = 17,
  run_end = 18,
  outside = 19,
  sums = 20,
  site = 21,
};

/// Whether nothing outside of a subtree refers to this operation in it. `stream` decides for blocks of loops.
constexpr bool is_inner(op what) noexcept {
  switch (what) {
    case op::strand:
    case op::fork:
    case op::branch:
    case op::join:
    case op::loop:
    case op::loop_end:
    case op::sums: return true;
    default: return false;
  }
}

}  // namespace leat::inline LEAT_ABI::strands
