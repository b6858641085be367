// The memory of a simulated world: stacks, address space and heap in one region, the same addresses every time.
//
// What is simulated depends on which words share a cache line, so each world begins with the same empty memory. When it
// ends, all of it is given up at once, whatever state the world is in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Two parts grow in one region, from its beginning: what is taken stays until the end, and the heap takes chunks and
/// divides them. Every address is decided by the order of the calls alone.
///
/// Thread safety: none; a world runs on one thread of the host. Costs: `take` and `allocate` O(1), but for the pages
/// that are touched first; `clear` a system call, and the pages that were touched.
class simulated_memory {
 public:
  /// Address space of the region.
  static constexpr std::size_t bytes_max = std::size_t{1} << 40;
  /// Of the region itself: what lies in it is aligned up to this wherever the system has put it.
  static constexpr std::size_t alignment_max = std::size_t{1} << 30;

  /// Reserves the address space. Throws std::bad_alloc.
  simulated_memory();
  simulated_memory(const simulated_memory&) = delete;
  simulated_memory& operator=(const simulated_memory&) = delete;
  ~simulated_memory();

  /// Zeroed memory, aligned to a power of two, that stays until clear(). Throws std::bad_alloc.
  void* take(std::size_t bytes, std::size_t alignment);

  /// Memory that is used again when it has been freed. Throws std::bad_alloc.
  void* allocate(std::size_t bytes, std::size_t alignment);
  void free(void* block) noexcept;

  /// Gives all of it up.
  void clear() noexcept;

  bool contains(const void* place) const noexcept { return offset(place) < bytes_max; }

  /// How far into the region it is; beyond bytes_max if it is not in there.
  std::size_t offset(const void* place) const noexcept {
    return reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(base_);
  }

 private:
  // A block that was freed, seen as a link of its class's list. The newest is used first.
  struct free_block {
    free_block* next;
  };
  static constexpr std::size_t classes = 64;  // by the logarithm of the size
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

  // What mmap gave, and the first aligned address in it.
  void* space_;
  std::byte* base_;
  std::size_t used_ = 0;
  std::byte* chunk_ = nullptr;  // the heap's newest part
  std::size_t chunk_left_ = 0;
  std::array<free_block*, classes> free_{};
};

/// Whether `operator new` of this thread takes from the memory of the world that it simulates; see new.cpp. What the
/// simulation itself needs comes from elsewhere.
extern constinit thread_local simulated_memory* heap_of_thread;

}  // namespace leat::inline LEAT_ABI::platform
