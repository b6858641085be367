// Stands between the program and the C library where address space is asked for.
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "interposed/faults.hpp"

using namespace leat_test::interposed;

namespace {

std::atomic<std::int64_t> mapped{0};

std::int64_t in_pages(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  return static_cast<std::int64_t>((bytes + page - 1) / page * page);
}

constinit next_function<void*(void*, std::size_t, int, int, int, off_t)> next_mmap("mmap");
constinit next_function<int(void*, std::size_t)> next_munmap("munmap");
constinit next_function<int(void*, std::size_t, int)> next_mprotect("mprotect");
constinit next_function<int(void*, std::size_t, int)> next_madvise("madvise");

}  // namespace

namespace leat_test::interposed {
std::int64_t bytes_mapped() noexcept { return mapped; }
}  // namespace leat_test::interposed

extern "C" {

void* mmap(void* where, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  if (is_of_sanitizer(__builtin_return_address(0))) return next_mmap(where, bytes, protection, flags, file, offset);
  if (refuses(call::mmap)) return MAP_FAILED;
  void* const got = next_mmap(where, bytes, protection, flags, file, offset);
  if (got != MAP_FAILED) mapped += in_pages(bytes);
  return got;
}

int munmap(void* where, std::size_t bytes) noexcept {
  if (is_of_sanitizer(__builtin_return_address(0))) return next_munmap(where, bytes);
  mapped -= in_pages(bytes);
  return refuses(call::munmap) ? -1 : next_munmap(where, bytes);
}

int mprotect(void* where, std::size_t bytes, int protection) noexcept {
  const bool counts = !is_of_sanitizer(__builtin_return_address(0));
  return counts && refuses(call::mprotect) ? -1 : next_mprotect(where, bytes, protection);
}

int madvise(void* where, std::size_t bytes, int advice) noexcept {
  const bool counts = !is_of_sanitizer(__builtin_return_address(0));
  return counts && refuses(call::madvise) ? -1 : next_madvise(where, bytes, advice);
}

}  // extern "C"
