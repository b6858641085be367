// A context: a stack and the place on it where execution goes on. One switch saves the one and goes on with
// the other.
#pragma once

#include <cxxabi.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "leat/platform/order.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define LEAT_CONTEXT_UNDER_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define LEAT_CONTEXT_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAT_CONTEXT_UNDER_ASAN 1
#elif __has_feature(thread_sanitizer)
#define LEAT_CONTEXT_UNDER_TSAN 1
#endif
#endif
#if defined(LEAT_CONTEXT_UNDER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(LEAT_CONTEXT_UNDER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

#include "leat/fibre/jump.hpp"

namespace leat::inline LEAT_ABI::fibre {

/// Where a suspended execution goes on. One thread at a time; the next one must have been told by the last.
class context {
 public:
  /// Of the calling thread's own stack: it is filled in when that is left.
  context() noexcept = default;
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  /// Makes it begin with main(word) on the stack of `bytes` from `lowest`, when it is switched to; `word` is
  /// what came with that switch. main must not return.
  void begin_at(void* lowest, std::size_t bytes, void (*main)(void*)) noexcept {
    main_ = main;
    stack_ = lowest;
    stack_bytes_ = bytes;
    exceptions_ = {};
    at_ = boost::context::detail::make_fcontext(static_cast<std::byte*>(lowest) + bytes, bytes, enter);
#if defined(LEAT_CONTEXT_UNDER_TSAN)
    fibre_ = __tsan_create_fiber(0);
#endif
  }

  /// Its execution has been left for good, and another one has begun. For the sanitizers alone.
  void end() noexcept {
#if defined(LEAT_CONTEXT_UNDER_ASAN)
    __asan_unpoison_memory_region(stack_, stack_bytes_);  // it was left in the midst of calls
#elif defined(LEAT_CONTEXT_UNDER_TSAN)
    __tsan_destroy_fiber(fibre_);
#endif
  }

  /// Where the runtime library keeps the exceptions that the calling thread of the system is handling. They
  /// belong to the green thread that handles them, so a switch exchanges them. Out of line: the library
  /// declares that the place never changes, and a compiler that sees the declaration may keep the place
  /// across a switch, after which the caller is on another thread of the system. The words are those of the
  /// Itanium C++ ABI's __cxa_eh_globals: the chain of caught exceptions, and the number of uncaught ones.
  [[gnu::noinline]] static void* exceptions_of_thread() noexcept { return abi::__cxa_get_globals(); }

  /// Leaves the calling execution, whose context this becomes, and goes on with `to`. Returns when another
  /// execution switches to this one, with the word that it gave. A few nanoseconds. The thread of the system
  /// may be another one then, so an address of a thread-local word is no longer good.
  /// \param exceptions  exceptions_of_thread()
  /// \param last        no execution will switch to this one
  [[gnu::noinline]] void* switch_to(context& to, void* word, void* exceptions, bool last) noexcept {
    // The message is complete before the jump, and the exceptions are exchanged while this is still the thread of the
    // system whose words `exceptions` names.
    to_ = &to;
    word_ = word;
    exchange_exceptions(to, exceptions);
    leave(to, last);
    return arrive(jump(to.at_, this));
  }

 private:
  // `came.data` is the context that was left. Only here, on the entered stack, is it known where that one goes on: a
  // switch to it before this store would go to an old place. Its user keeps others away so long (THREAD-4).
  static void* arrive(boost::context::detail::transfer_t came) noexcept {
    context& from = *static_cast<context*>(came.data);
    void* const word = from.word_;
    from.at_ = came.fctx;
    from.to_->enter_stack(from);
    return word;
  }

  static void enter(boost::context::detail::transfer_t came) noexcept {
    const context* const self = static_cast<const context*>(came.data)->to_;
    void* const word = arrive(came);
    self->main_(word);
  }

  void exchange_exceptions(const context& to, void* of_thread) noexcept {
    std::memcpy(&exceptions_, of_thread, sizeof exceptions_);
    std::memcpy(of_thread, &to.exceptions_, sizeof exceptions_);
  }

  // In line: for ThreadSanitizer all code after it belongs to the other context.
  [[gnu::always_inline]] void leave([[maybe_unused]] context& to, [[maybe_unused]] bool last) noexcept {
#if defined(LEAT_CONTEXT_UNDER_ASAN)
    __sanitizer_start_switch_fiber(last ? nullptr : &fake_stack_, to.stack_, to.stack_bytes_);
#elif defined(LEAT_CONTEXT_UNDER_TSAN)
    if (stack_ == nullptr) fibre_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to.fibre_, 0);
#endif
  }

  void enter_stack([[maybe_unused]] context& from) noexcept {
#if defined(LEAT_CONTEXT_UNDER_ASAN)
    const void* lowest = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(fake_stack_, &lowest, &bytes);
    if (from.stack_ == nullptr) from.stack_ = lowest, from.stack_bytes_ = bytes;  // the thread's own
#endif
  }

  boost::context::detail::fcontext_t at_ = nullptr;
  // The message of a switch from here. It does not lie in the frame that is left: where AddressSanitizer
  // keeps frames on the heap, a frame that is left for the last time is gone.
  context* to_ = nullptr;
  void* word_ = nullptr;
  std::array<std::uint64_t, 2> exceptions_{};  // as large as the runtime library's words of a thread
  void (*main_)(void*) = nullptr;
  const void* stack_ = nullptr;
  std::size_t stack_bytes_ = 0;
#if defined(LEAT_CONTEXT_UNDER_ASAN)
  void* fake_stack_ = nullptr;
#elif defined(LEAT_CONTEXT_UNDER_TSAN)
  void* fibre_ = nullptr;
#endif
};

}  // namespace leat::inline LEAT_ABI::fibre
