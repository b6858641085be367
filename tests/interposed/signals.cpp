// Stands between the program and the C library where handlers of signals are installed.
#include <signal.h>

#include "interposed/faults.hpp"

using namespace leat_test::interposed;

namespace {
constinit next_function<int(int, const struct sigaction*, struct sigaction*)> next_action("sigaction");
constinit next_function<int(const stack_t*, stack_t*)> next_stack("sigaltstack");

// AddressSanitizer gives each thread such a stack, and ends the process where that is refused.
extern "C" const char __executable_start, etext;
bool is_of_program(const void* caller) { return caller >= &__executable_start && caller < &etext; }
}  // namespace

extern "C" {

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  return refuses(call::sigaction) ? -1 : next_action(signal, action, before);
}

int sigaltstack(const stack_t* stack, stack_t* before) noexcept {
  const bool counts = is_of_program(__builtin_return_address(0));
  return counts && refuses(call::sigaltstack) ? -1 : next_stack(stack, before);
}

}  // extern "C"
