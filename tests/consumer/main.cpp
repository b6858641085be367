// What a user of the installed library writes first: tasks that count themselves.

#include <leat/leat.hpp>

#include <cstdio>

#include "leat/channel/mpsc.hpp"  // the floors are installed beside the public headers

int main() {
  constexpr long tasks = 1000;
  leat::options options;
  options.workers = 2;
  leat::runtime rt(options);
  leat::worker_local<long> done(rt);
  rt.run([&] {
    for (long i = 0; i < tasks; ++i) leat::spawn([&] { done.local() += 1; });
    leat::barrier();
  });
  const long total = done.combine(0L, [](long a, long b) { return a + b; });
  std::printf("leat %s ran %ld tasks on %u workers\n", leat::version(), total, static_cast<unsigned>(rt.workers()));
  return total == tasks ? 0 : 1;
}
