// A plugin that uses leat, as a module of Python would.

#include <leat/leat.hpp>

namespace {

long fib(long n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

}  // namespace

/// fib(20) on a runtime of its own.
extern "C" [[gnu::visibility("default")]] long plugin_runs() {
  leat::options options;
  options.workers = 2;
  leat::runtime rt(options);
  return rt.run([] { return fib(20); });
}

/// fib(20) in the default runtime, where the calling thread is no worker.
extern "C" [[gnu::visibility("default")]] long plugin_enters() { return fib(20); }

/// fib(20) on the calling worker. -1 if it is no worker of the leat that this plugin has.
extern "C" [[gnu::visibility("default")]] long plugin_forks() {
  try {
    leat::spawn([] {});  // async would submit to the default runtime of this leat
    return leat::async([] { return fib(20); }).get();
  } catch (const leat::not_a_worker&) {
    return -1;
  }
}
