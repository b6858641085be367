// Memory for the slots of a deque.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::deque {

/// Gets memory for slots of the type T. A deque that outgrows its memory retires it: others may still read from it.
///
/// Each has one slot more than was asked for, before the first: pop computes its address, and the link to what was retired
/// before lies there.
template <class P, class T>
class slot_memory {
 public:
  /// The first of `capacity` slots. Memory is reserved, not touched. Throws std::bad_alloc.
  static T* allocate(std::size_t capacity) {
    const std::size_t bytes = (capacity + 1) * sizeof(T);
    void* const memory = ::operator new(bytes, alignment);
    if (bytes >= large_bytes) P::prefer_large_pages(memory, bytes);
    return static_cast<T*>(memory) + 1;
  }
  static void free(T* base) noexcept { ::operator delete(base - 1, alignment); }

  /// Keeps what allocate returned, until free_retired.
  void retire(T* base) noexcept { retired_ = ::new (static_cast<void*>(base - 1)) retired{retired_}; }
  void free_retired() noexcept {
    while (retired_ != nullptr) ::operator delete(std::exchange(retired_, retired_->next), alignment);
  }

 private:
  static constexpr std::align_val_t alignment{platform::cache_line > alignof(T) ? platform::cache_line : alignof(T)};

  // A deque that has grown so large has been full, and will be used from one end to the other. Below, touching whole large
  // pages would cost memory that a small program never needs.
  static constexpr std::size_t large_bytes = std::size_t{4} << 20;

  struct retired {
    retired* next;
  };
  static_assert(sizeof(retired) <= sizeof(T) && alignof(retired) <= alignof(T));

  retired* retired_ = nullptr;
};

}  // namespace leat::inline LEAT_ABI::deque
