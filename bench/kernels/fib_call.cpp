// The serial recursion whose calls are real calls.

#include "kernels/fib.hpp"

// Neither inlined nor cloned, nor with registers kept across calls because the callee is known.
#if defined(__clang__)
#define LEAT_REAL_CALL [[gnu::noinline]]
#else
#define LEAT_REAL_CALL [[gnu::noipa]]
#endif

namespace leat::kernels::fib {

namespace {

LEAT_REAL_CALL std::uint64_t called(std::int64_t n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  const std::uint64_t a = called(n - 1);
  std::uint64_t b = called(n - 2);
  // Is no instruction, but stands between the second call and the sum; without it compilers make that call a loop.
  asm volatile("" : "+r"(b));
  return a + b;
}

}  // namespace

std::uint64_t serial_call(const parameters& p) { return called(p.n); }

}  // namespace leat::kernels::fib
