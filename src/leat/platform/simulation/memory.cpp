#include "leat/platform/simulation/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace leat::inline LEAT_ABI::platform {

constinit thread_local simulated_memory* heap_of_thread = nullptr;

namespace {

// Before each block of the heap: its class, in the word right before it.
// With it goes how far the block lies behind the beginning of its memory, which an alignment moves: the class in the
// lowest byte, the distance above. 16 bytes, as what `operator new` gives is aligned to 16.
constexpr std::size_t header_bytes = 16;

std::size_t& class_of(void* block) noexcept { return static_cast<std::size_t*>(block)[-1]; }

}  // namespace

// A tebibyte of addresses, and memory only for pages that are touched (MAP_NORESERVE). Where a limit on address space
// refuses that, there are no worlds.
simulated_memory::simulated_memory() {
  void* const space = mmap(nullptr, bytes_max + alignment_max, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) throw std::bad_alloc();
#if defined(MADV_NOHUGEPAGE)
  madvise(space, bytes_max + alignment_max, MADV_NOHUGEPAGE);  // worlds are small and many
#endif
  const auto first = reinterpret_cast<std::uintptr_t>(space);
  space_ = space;
  // The base has the largest alignment that is asked for in a world. So an offset that is aligned is an address that
  // is aligned, and offsets are the same in every process, wherever the system has put the region.
  base_ = reinterpret_cast<std::byte*>((first + alignment_max - 1) & ~(std::uintptr_t{alignment_max} - 1));
}

simulated_memory::~simulated_memory() { munmap(space_, bytes_max + alignment_max); }

// The pages are zero: the region is private and anonymous, and `clear` gave back all that had been used.
void* simulated_memory::take(std::size_t bytes, std::size_t alignment) {
  const auto begin = reinterpret_cast<std::uintptr_t>(base_);
  const std::size_t first = ((begin + used_ + alignment - 1) & ~(alignment - 1)) - begin;
  if (first > bytes_max || bytes > bytes_max - first) throw std::bad_alloc();
  used_ = first + bytes;
  return base_ + first;
}

// A block is a power of two with its header: 64 lists, no search, and no merging of free blocks. The price is up to
// half of the memory, which a world gives back soon.
void* simulated_memory::allocate(std::size_t bytes, std::size_t alignment) {
  // Enough for header and alignment: memory is aligned to 16, so the first aligned place behind the header is at most
  // `alignment` bytes away, if that is larger than the header.
  const std::size_t ahead = std::max(header_bytes, alignment);
  const std::size_t whole = std::bit_ceil(std::max(bytes, std::size_t{1}) + ahead);
  const auto kind = static_cast<std::size_t>(std::countr_zero(whole));
  if (kind >= classes || whole > bytes_max) throw std::bad_alloc();
  std::byte* memory = nullptr;
  if (free_[kind] != nullptr) {
    memory = reinterpret_cast<std::byte*>(std::exchange(free_[kind], free_[kind]->next));
  } else if (whole >= chunk_bytes) {
    memory = static_cast<std::byte*>(take(whole, alignof(std::max_align_t)));
  } else {
    // What is left of the old chunk is not used any more.
    if (whole > chunk_left_) {
      chunk_ = static_cast<std::byte*>(take(chunk_bytes, 4096));
      chunk_left_ = chunk_bytes;
    }
    memory = chunk_;
    chunk_ += whole, chunk_left_ -= whole;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(memory) + header_bytes;
  auto* const block = reinterpret_cast<std::byte*>((first + alignment - 1) & ~(alignment - 1));
  class_of(block) = kind | static_cast<std::size_t>(block - memory) << 8;
  return block;
}

// Only for what allocate gave: a block of `take` has no header.
void simulated_memory::free(void* block) noexcept {
  const std::size_t note = class_of(block);
  auto* const memory = static_cast<std::byte*>(block) - (note >> 8);
  auto* const freed = reinterpret_cast<free_block*>(memory);
  const std::size_t kind = note & 0xff;
  freed->next = std::exchange(free_[kind], freed);
}

// MADV_DONTNEED makes private anonymous pages zero again when they are next touched, and keeps the addresses. Objects
// in them are not destroyed.
void simulated_memory::clear() noexcept {
  if (used_ != 0) madvise(base_, used_, MADV_DONTNEED);
  used_ = 0;
  chunk_ = nullptr;
  chunk_left_ = 0;
  free_ = {};
}

}  // namespace leat::inline LEAT_ABI::platform
