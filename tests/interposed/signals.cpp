// Stands between the program and the C library where handlers of signals are installed.
#include <signal.h>

#include "interposed/faults.hpp"

using namespace leat_test::interposed;

namespace {
constinit next_function<int(int, const struct sigaction*, struct sigaction*)> next_action("sigaction");
constinit next_function<int(const stack_t*, stack_t*)> next_stack("sigaltstack");
}  // namespace

extern "C" {

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  return refuses(call::sigaction) ? -1 : next_action(signal, action, before);
}

// The stack that was there before is always taken back: that fails for a bad address alone.
int sigaltstack(const stack_t* stack, stack_t* before) noexcept {
  const bool counts = before != nullptr && !is_of_sanitizer(__builtin_return_address(0));
  return counts && refuses(call::sigaltstack) ? -1 : next_stack(stack, before);
}

}  // extern "C"
