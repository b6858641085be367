// What a handler keeps of what it caught, to throw it elsewhere.
#pragma once

#include <exception>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// In a handler of what is no C++ exception: std::bad_exception, which stands for it. But pthread_exit and the cancellation of
/// a thread must not be caught, and so cannot be told to another thread: they end the process, with a message.
std::exception_ptr thrown_by_others() noexcept;

/// In a handler: what was thrown. What is no C++ exception is replaced, see thrown_by_others.
inline std::exception_ptr thrown() noexcept {
  std::exception_ptr kept = std::current_exception();
  if (kept == nullptr) [[unlikely]]
    kept = thrown_by_others();
  return kept;
}

}  // namespace leat::inline LEAT_ABI::platform
