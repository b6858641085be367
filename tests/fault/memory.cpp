// The program's own operator new: it counts, and it fails when told to.
#include "fault/memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace leat_test {

thread_local long allocations_left = -1;
thread_local std::uint64_t allocations = 0;

namespace {

std::atomic<std::uint64_t> sum{0};

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  sum.fetch_add(1, std::memory_order_relaxed);
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  void* memory = nullptr;
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  if (posix_memalign(&memory, alignment, bytes == 0 ? 1 : bytes) != 0) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::uint64_t allocations_of_all() { return sum.load(std::memory_order_relaxed); }

}  // namespace leat_test

void* operator new(std::size_t bytes) { return leat_test::allocate(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return leat_test::allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return leat_test::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return leat_test::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
