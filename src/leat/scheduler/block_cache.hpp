// Memory that a worker uses again: blocks of one size, kept by the worker that freed them.
#pragma once

#include <cstddef>
#include <new>

#include "leat/platform/order.hpp"

namespace leat::scheduler {

/// The calling worker's blocks; not thread-safe. A block may be freed into another worker's cache than it came from.
class block_cache {
 public:
  static constexpr std::size_t block_bytes = 2 * platform::cache_line;
  static constexpr std::size_t blocks_max = 1024;  ///< kept at once; more go back to the heap

  block_cache() = default;
  block_cache(const block_cache&) = delete;
  block_cache& operator=(const block_cache&) = delete;
  ~block_cache() {
    while (free_ != nullptr) ::operator delete(pop(), alignment);
  }

  /// A block of block_bytes, aligned to a cache line. A few instructions, or one allocation. Throws std::bad_alloc.
  void* allocate() { return free_ != nullptr ? pop() : allocate_anywhere(); }

  void release(void* block) noexcept {
    if (count_ == blocks_max) return release_anywhere(block);
    free_ = ::new (block) link{free_};
    ++count_;
  }

  /// The same for threads that have no cache.
  static void* allocate_anywhere() { return ::operator new(block_bytes, alignment); }
  static void release_anywhere(void* block) noexcept { ::operator delete(block, alignment); }

 private:
  static constexpr std::align_val_t alignment{platform::cache_line};

  struct link {
    link* next;
  };

  void* pop() noexcept {
    link* block = free_;
    free_ = block->next;
    --count_;
    return block;
  }

  link* free_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace leat::scheduler
