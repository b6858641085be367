// Memory for the algorithms of std::execution::par that need some for the time of a call.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// `bytes` of memory, aligned as by operator new, or an earlier call's that was kept. Any thread.
/// \throws std::bad_alloc
void* take_room(std::size_t bytes);

/// Gives back what take_room has given. Some large pieces are kept for later calls: their pages are there already.
void give_room(void* room) noexcept;

/// Memory for n elements, without objects.
template <class T>
class room {
  static constexpr bool plain = alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;

 public:
  /// \throws std::bad_alloc  memory is short
  explicit room(std::size_t n) : size_(n), memory_(allocate(n)) {}
  room(const room&) = delete;
  room& operator=(const room&) = delete;
  ~room() {
    if constexpr (plain) give_room(memory_);
    else std::allocator<T>().deallocate(memory_, size_);
  }

  explicit operator bool() const { return memory_ != nullptr; }
  T* get() const { return memory_; }

 private:
  static T* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / 4 / sizeof(T)) throw std::bad_array_new_length();
    if constexpr (plain) return static_cast<T*>(take_room(n * sizeof(T)));
    else return std::allocator<T>().allocate(n);
  }

  const std::size_t size_;
  T* const memory_;
};

}  // namespace leat::inline LEAT_ABI::adapters::pstl
