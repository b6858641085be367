// A program with user-level threads.

#include <leat/leat.hpp>
#include <leat/thread.hpp>

#include <cstdio>

int main() {
  leat::options options;
  options.workers = 2;
  leat::runtime rt(options);
  const int got = rt.run([] {
    return leat::run_threads([] {
      int made = 0;
      leat::thread maker([&] { made = 7; });
      maker.join();
      return made;
    });
  });
  std::printf("a user-level thread made %d\n", got);
  return got == 7 ? 0 : 1;
}
