#include "leat/platform/abort.hpp"

#include <cstdio>
#include <cstdlib>

#include "leat/platform/thrown.hpp"

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace leat::inline LEAT_ABI::platform {

void abort_with(const char* message) noexcept {
  std::fputs(message, stderr);
  std::abort();
}

// pthread_exit and cancellation unwind the stack by an exception of the library's own, which a handler must not keep:
// a worker's thread cannot end before its runtime. So the process ends here, with the reason.
std::exception_ptr thrown_by_others() noexcept {
#if defined(__GLIBCXX__)
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    abort_with(
        "leat: a task called pthread_exit(), or its thread was cancelled; the threads of a runtime end with the "
        "runtime, so a task is to return or to throw\n");
  } catch (...) {
  }
#endif
  return std::make_exception_ptr(std::bad_exception());
}

}  // namespace leat::inline LEAT_ABI::platform
