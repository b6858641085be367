// operator new of programs that simulate: what a thread of a world allocates comes from the memory of that world.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "leat/platform/simulation/simulation.hpp"

namespace {

using leat::platform::heap_of_thread;
using leat::platform::simulation;

// Inside a world, and not in the simulation's own code, `heap_of_thread` is set. Elsewhere this is what the library's
// own operator does, but for the new-handler, which is not called.
void* allocate(std::size_t bytes, std::size_t alignment) {
  if (heap_of_thread != nullptr) return simulation::allocate(bytes, alignment);
  void* const block = alignment <= alignof(std::max_align_t)
                          ? std::malloc(bytes == 0 ? 1 : bytes)
                          // It wants a multiple of the alignment.
                          : std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

// The address tells where a block came from, and not where the thread is: the simulation's code frees blocks of the
// host in the middle of a world, and a world's function may free what the host gave it.
// A block of a world that is over has no owner: the program must not free it.
void release(void* block) noexcept {
  simulation* const world = simulation::current();
  if (world == nullptr || !world->free(block)) std::free(block);
}

}  // namespace

// The library's forms for arrays, and those that return null, call these.
void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
