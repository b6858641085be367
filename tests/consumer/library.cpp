// One of two shared libraries of a program, each of which uses leat for itself. LIBRARY is its name.

#include <leat/leat.hpp>

#include <cstddef>
#include <vector>

#define JOINED_OF(a, b) a##b
#define JOINED(a, b) JOINED_OF(a, b)
#define SHOWN(result, name) extern "C" [[gnu::visibility("default")]] result JOINED(LIBRARY, _##name)

namespace {

long fib(long n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

}  // namespace

/// Where its default runtime is.
SHOWN(const void*, home)() { return &leat::default_runtime(); }

/// 6765, by forks.
SHOWN(long, forks)() { return fib(20); }

/// The sum of `calls` calls of `other`, by the iterations of a loop which also fork.
SHOWN(long, calls)(long (*other)(), int calls) {
  std::vector<long> got(static_cast<std::size_t>(calls));
  leat::parallel_for(0, calls, [&](int i) { got[static_cast<std::size_t>(i)] = other() + fib(10) - 55; });
  long sum = 0;
  for (const long one : got) sum += one;
  return sum;
}

/// The same, by tasks of a group.
SHOWN(long, spawns)(long (*other)(), int calls) {
  std::vector<long> got(static_cast<std::size_t>(calls));
  leat::task_group group;
  for (long& one : got) group.spawn([&one, other] { one = other(); });
  group.wait();
  long sum = 0;
  for (const long one : got) sum += one;
  return sum;
}
