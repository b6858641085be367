// The stacks of user-level threads, and those that a carrier keeps for the next ones.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::fibre {

/// Bytes of a stack, unless a thread asks for others; a multiple of this, between these.
inline constexpr std::size_t stack_bytes_usual = 256 * 1024;
inline constexpr std::size_t stack_bytes_unit = 4096;
inline constexpr std::size_t stack_bytes_min = 16 * 1024;
inline constexpr std::size_t stack_bytes_max = std::size_t{1} << 30;

/// Stacks that a carrier keeps at most, of the usual size: 16 MiB, of which those pages cost memory that a thread has
/// touched.
inline constexpr std::size_t stacks_kept_max = 64;

/// A stack, with a mebibyte of pages below it that fault, so a thread that comes to its end writes to no other memory
/// unless a frame skips them. Empty, or its own.
template <class P>
class stack {
 public:
  stack() noexcept = default;

  /// \throws std::bad_alloc         memory is short
  /// \throws std::invalid_argument  `bytes` is not in range, or no multiple of stack_bytes_unit
  explicit stack(std::size_t bytes) : lowest_(P::map_stack(checked(bytes))), bytes_(bytes) {}
  stack(stack&& s) noexcept : lowest_(std::exchange(s.lowest_, nullptr)), bytes_(s.bytes_) {}
  stack& operator=(stack&& s) noexcept {
    std::swap(lowest_, s.lowest_);
    std::swap(bytes_, s.bytes_);
    return *this;
  }
  ~stack() {
    if (lowest_ != nullptr) P::unmap_stack(lowest_, bytes_);
  }

  void* lowest() const noexcept { return lowest_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  static std::size_t checked(std::size_t bytes) {
    if (bytes < stack_bytes_min || bytes > stack_bytes_max || bytes % stack_bytes_unit != 0) {
      throw std::invalid_argument("leat::thread: a stack of " + std::to_string(bytes) +
                                  " bytes; it must be a multiple of " + std::to_string(stack_bytes_unit) + " from " +
                                  std::to_string(stack_bytes_min) + " to " + std::to_string(stack_bytes_max));
    }
    return bytes;
  }

  void* lowest_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Stacks for the next threads: mapping one costs more than a thread's whole life. A carrier's own, so it
/// needs no lock; a stack may be taken from one pool and given to another. Its memory is reserved at first,
/// as a stack is given where no exception may pass.
template <class P>
class stack_pool {
 public:
  /// Throws as the constructor of stack does.
  stack<P> take(std::size_t bytes) {
    // The newest: it is the likeliest to be in the caches.
    if (bytes != stack_bytes_usual || kept_.empty()) return stack<P>(bytes);
    stack<P> s = std::move(kept_.back());
    kept_.pop_back();
    return s;
  }

  /// Keeps it, or lets it go.
  void give(stack<P> s) noexcept {
    if (s.bytes() == stack_bytes_usual && kept_.size() < stacks_kept_max) kept_.push_back(std::move(s));
  }

  stack_pool() { kept_.reserve(stacks_kept_max); }

 private:
  std::vector<stack<P>> kept_;
};

}  // namespace leat::inline LEAT_ABI::fibre
