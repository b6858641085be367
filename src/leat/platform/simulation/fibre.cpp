#include "leat/platform/simulation/fibre.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace leat::inline LEAT_ABI::platform {

namespace {

namespace context = boost::context;

// Stacks are the world's, which frees them all at once.
struct borrowed_stack {
  void deallocate(context::stack_context&) noexcept {}
};

// What the runtime library keeps of exceptions that are being handled belongs to the host's thread: each fibre has its own.
// The C++ ABI has two words of it, a list of the exceptions that are caught and a count of those that fly. A fibre
// may be switched from inside a catch clause: if the words stayed, another fibre would end that clause's exception.
using exceptions_of_host = std::array<std::uint64_t, 2>;
void put_away(exceptions_of_host& kept) noexcept { std::memcpy(&kept, abi::__cxa_get_globals(), sizeof kept); }
void put_back(const exceptions_of_host& kept) noexcept { std::memcpy(abi::__cxa_get_globals(), &kept, sizeof kept); }

// AddressSanitizer takes each stack pointer for one of the thread's own stack, unless it is told of a switch, before
// and after. Without that it reports frames of fibres, or misses what they do.
void leaves([[maybe_unused]] fibre::suspended& from, [[maybe_unused]] const fibre::suspended& to) noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack, to.stack_bytes);
#endif
}

void arrives([[maybe_unused]] fibre::suspended& in) noexcept {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(in.fake_stack, nullptr, nullptr);
#endif
}

}  // namespace

const char* name_of(operation what) noexcept {
  static constexpr std::array names{"begin", "load", "store", "rmw",   "fence", "relax",     "yield",   "clock", "work",
                                    "wait",  "wake", "sleep", "start", "join",  "interrupt", "handler", "end"};
  return names[static_cast<std::size_t>(what)];
}

// The lambda runs on the other stack: only there the handle of the stack that was left exists. It takes it, and what
// it returns goes to the stack that goes on, which has no use for it.
// put_back comes last, on the stack that has come back. Whichever fibre ran meanwhile has put its own words away, or
// has ended.
void switch_between(fibre::suspended& from, fibre::suspended& to) noexcept {
  put_away(from.exceptions);
  leaves(from, to);
  std::move(to.at).resume_with([&from](context::fiber&& suspended) {
    from.at = std::move(suspended);
    return context::fiber();
  });
  arrives(from);
  put_back(from.exceptions);
}

void make_suspended(fibre::suspended& made, void* stack, std::size_t bytes, void (*main)(void*), void* argument) {
  context::stack_context where;
  // Stacks grow downwards, so Boost takes the highest address.
  where.sp = static_cast<std::byte*>(stack) + bytes;
  where.size = bytes;
  made.stack = stack;
  made.stack_bytes = bytes;
  made.exceptions = {};
#if defined(__SANITIZE_ADDRESS__)
  // Another world may have left a stack here in the middle of its frames.
  __asan_unpoison_memory_region(stack, bytes);
#endif
  made.at = context::fiber(std::allocator_arg, context::preallocated(where.sp, where.size, where), borrowed_stack(),
                           [main, argument, &made](context::fiber&& from) -> context::fiber {
                             arrives(made);
                             put_back(made.exceptions);
                             main(argument);
                             return std::move(from);  // never
                           });
}

void end_in(fibre::suspended& from, fibre::suspended& to) noexcept {
  // What AddressSanitizer has of its frames is kept: this one is still in use.
  leaves(from, to);
  // The context that is left is never gone on with; nor is it unwound, as its stack goes with the world.
  // Not destroyed, but written over by the next: the destructor of a fiber unwinds its stack, by an exception, and
  // here destructors of a world's objects would run after the world.
  alignas(context::fiber) static thread_local std::byte left[sizeof(context::fiber)];
  std::move(to.at).resume_with([](context::fiber&& suspended) {
    new (left) context::fiber(std::move(suspended));
    return context::fiber();
  });
  std::abort();
}

}  // namespace leat::inline LEAT_ABI::platform
