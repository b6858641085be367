// Stands between the program and the C library where memory is asked for. The next ones are called by the names that glibc has for
// them, as dlsym itself takes memory. A sanitizer has its own malloc, and the leaks are its business.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "engines.hpp"
#include "interposed/faults.hpp"

#if defined(__GLIBC__) && !defined(LEAT_TEST_SANITIZED)

using namespace leat_test::interposed;

namespace {
constinit std::atomic<std::int64_t> pieces{0};

void* counted(void* memory) {
  if (memory != nullptr) pieces.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

}  // namespace

namespace leat_test::interposed {
const bool has_malloc = true;
std::int64_t pieces_allocated() noexcept { return pieces; }
}  // namespace leat_test::interposed

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t bytes) noexcept { return refuses(call::malloc) ? nullptr : counted(__libc_malloc(bytes)); }

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return refuses(call::malloc) ? nullptr : counted(__libc_calloc(count, bytes));
}

void* realloc(void* memory, std::size_t bytes) noexcept {
  if (refuses(call::malloc)) return nullptr;
  void* const got = __libc_realloc(memory, bytes);
  return memory == nullptr ? counted(got) : got;
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return refuses(call::aligned_alloc) ? nullptr : counted(__libc_memalign(alignment, bytes));
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept { return memalign(alignment, bytes); }

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  void* const got = memalign(alignment, bytes);
  if (got == nullptr) return ENOMEM;
  *memory = got;
  return 0;
}

void free(void* memory) noexcept {
  if (memory != nullptr) pieces.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(memory);
}

}  // extern "C"

#else

namespace leat_test::interposed {
const bool has_malloc = false;
std::int64_t pieces_allocated() noexcept { return 0; }
}  // namespace leat_test::interposed

#endif
