// Stacks for contexts: memory with pages below it that fault, and what is said when one does.
#pragma once

#include <cstddef>
#include <span>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Memory for a stack of `bytes`, a multiple of the page, which the caller gives back. Below it lies a mebibyte that faults.
/// It costs memory where it is touched. Throws std::bad_alloc.
void* map_stack(std::size_t bytes);
/// `lowest` and `bytes` are those of map_stack. Nothing may be on the stack, and no overflow_watch may describe it
/// any more.
void unmap_stack(void* lowest, std::size_t bytes) noexcept;

/// What faults, below a stack that map_stack gave.
bool is_below_stack(const void* lowest, const void* address) noexcept;

/// While it lives, a fault of the calling thread is shown to `describe`, on a stack of its own: if that knows the address
/// it writes what there is to say, and the text goes to the standard error before the fault takes its course, which is
/// that of the handler that was installed before, or the end of the process. `describe(whose, address, text)` returns the
/// length of the text, 0 if the address is not its; it is called inside a signal handler. Watches nest; the innermost is
/// asked. Throws std::bad_alloc, std::system_error.
class overflow_watch {
 public:
  using describe_type = std::size_t (*)(void* whose, const void* address, std::span<char> text) noexcept;

  overflow_watch(void* whose, describe_type describe);
  overflow_watch(const overflow_watch&) = delete;
  overflow_watch& operator=(const overflow_watch&) = delete;
  ~overflow_watch();

 private:
  struct place;
  [[noreturn]] void refuse(const char* call, int error);

  place* place_;
};

/// The same where nothing is watched: worlds have no signals of the host.
class unwatched_overflow {
 public:
  unwatched_overflow(void*, overflow_watch::describe_type) noexcept {}
};

}  // namespace leat::inline LEAT_ABI::platform
