// SIGQUIT as a request for a description of the process: leat::describe, docs/guide/deadlocks.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Requests of the native platform's process.
struct requests {
  /// From here on SIGQUIT counts a request, and a change, and wakes all that sleep on that; then the handler is called that the
  /// signal had before. The first claim installs that in the whole process, the last release restores what was there. Any thread; a lock.
  /// Throws std::system_error if the system refuses.
  static void claim();
  static void release() noexcept;

  /// In a forked child: all claims end.
  static void forget() noexcept;

  static inline constinit std::atomic<std::uint32_t> count{0};
  /// Grows with each request, and with all else that its sleeping thread is to see.
  static inline constinit std::atomic<std::uint32_t> changes{0};
};

}  // namespace leat::inline LEAT_ABI::platform
