// Where a thread is: the calls on its stack, and what it sleeps in. For reports of hangs (docs/internals/deadlocks.md).
#pragma once

#include <array>
#include <cstdint>

#include "leat/platform/abi.hpp"
#include "leat/platform/shared.hpp"

namespace leat::inline LEAT_ABI::platform {

/// The return addresses of the calls on a stack, innermost first; the outermost ones are missing if the stack is deep.
struct LEAT_SHARED call_stack {
  static constexpr std::uint32_t calls_max = 64;
  std::array<const void*, calls_max> at;
  std::uint32_t size = 0;
};

/// What the system says of a thread.
struct thread_sleep {
  std::uint64_t thread = 0;  ///< its number in the system; 0: not known
  bool sleeps = false;  ///< in a call of the system
  bool for_lock = false;  ///< that call waits for a word of memory, for as long as it takes
  const void* lock = nullptr;  ///< that word, if it is a mutex that a thread holds
  std::uint64_t holder = 0;  ///< that thread's number
};

/// A platform on which the calls on stacks can be read.
///
/// - `note_calls(stack)`: those of the calling thread. It may allocate at its first call.
/// - `thread.sleep()`: what the system says of the thread, which lives.
/// - `thread.note_calls(stack, also, with)`: those of the thread, which lives and has called allow_interrupts(). It is
///   interrupted, and calls also(with) in the handler. False if it does not answer soon, or another thread asks at that moment.
template <class P>
concept shows_calls = requires(call_stack& into, typename P::thread& thread) {
  P::note_calls(into);
  { thread.sleep() };
  {
    thread.note_calls(into, [](void*) noexcept {}, nullptr)
  };
};

}  // namespace leat::inline LEAT_ABI::platform
