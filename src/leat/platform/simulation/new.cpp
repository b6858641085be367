// operator new of programs that simulate: what a thread of a world allocates comes from the memory of that world.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "leat/platform/simulation/simulation.hpp"

namespace {

using leat::platform::heap_of_thread;
using leat::platform::simulation;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (heap_of_thread != nullptr) return simulation::allocate(bytes, alignment);
  void* const block = alignment <= alignof(std::max_align_t)
                          ? std::malloc(bytes == 0 ? 1 : bytes)
                          : std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block) noexcept {
  simulation* const world = simulation::current();
  if (world == nullptr || !world->free(block)) std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
