// The program's own operator new: it counts, and it fails when told to.
#include "fault/memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace leat_test {

namespace {

thread_local long left = -1;
thread_local std::uint64_t made = 0;
std::atomic<std::uint64_t> sum{0};

void* allocate(std::size_t bytes, std::size_t alignment) {
  ++made;
  sum.fetch_add(1, std::memory_order_relaxed);
  if (left >= 0 && left-- == 0) throw std::bad_alloc();
  void* memory = nullptr;
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  if (posix_memalign(&memory, alignment, bytes == 0 ? 1 : bytes) != 0) throw std::bad_alloc();
  return memory;
}

}  // namespace

long& allocations_left() noexcept { return left; }
std::uint64_t allocations() noexcept { return made; }
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
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t bytes, const std::nothrow_t& nothrow) noexcept { return operator new(bytes, nothrow); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
