// What a handler keeps of what it caught, to throw it elsewhere.
#pragma once

#include <exception>

namespace leat::scheduler {

/// In a handler: what was thrown. What is no exception of C++'s cannot be kept, and std::bad_exception stands for it.
inline std::exception_ptr thrown() noexcept {
  std::exception_ptr kept = std::current_exception();
  if (kept == nullptr) kept = std::make_exception_ptr(std::bad_exception());
  return kept;
}

}  // namespace leat::scheduler
