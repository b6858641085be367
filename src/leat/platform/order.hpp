// The memory orders and the cache line, under names that every platform understands.
#pragma once

#include <atomic>
#include <cstddef>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

inline constexpr std::memory_order relaxed = std::memory_order_relaxed;
inline constexpr std::memory_order acquire = std::memory_order_acquire;
inline constexpr std::memory_order release = std::memory_order_release;
inline constexpr std::memory_order acq_rel = std::memory_order_acq_rel;
inline constexpr std::memory_order seq_cst = std::memory_order_seq_cst;

// 64 on x86-64, and on most AArch64. On a machine with longer lines programs stay right, and neighbours cost more. It
// is a constant, and not std::hardware_destructive_interference_size: that one may vary with a compiler's flags, and
// layouts that the library and a program share must not.
/// Bytes that travel together between cores. Words that different workers write live this far apart.
inline constexpr std::size_t cache_line = 64;

}  // namespace leat::inline LEAT_ABI::platform
