// The memory orders and the cache line, under names that every platform understands.
#pragma once

#include <atomic>
#include <cstddef>

namespace leat::platform {

inline constexpr std::memory_order relaxed = std::memory_order_relaxed;
inline constexpr std::memory_order acquire = std::memory_order_acquire;
inline constexpr std::memory_order release = std::memory_order_release;
inline constexpr std::memory_order acq_rel = std::memory_order_acq_rel;
inline constexpr std::memory_order seq_cst = std::memory_order_seq_cst;

/// Bytes that travel together between cores. Words that different workers write live this far apart.
inline constexpr std::size_t cache_line = 64;

}  // namespace leat::platform
