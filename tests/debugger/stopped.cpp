// A program that stops itself in a debugger, while one worker waits for another.
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "leat/leat.hpp"

int main() {
  leat::options o;
  o.workers = 2;
  leat::runtime rt(o);
  return rt.run([] {
    std::atomic<int> begun{0};
    leat::channel<int> line(4);
    leat::task_group group;
    leat::future<int> none;
    leat::future<int> result = leat::async([&] {
      begun = 1;
      while (begun != 2) usleep(100);
      usleep(300'000);  // so that the other worker sleeps in its wait
      raise(SIGTRAP);
      return 0;
    });
    while (begun != 1) leat::poll();
    begun = 2;
    const int got = result.get();
    return got;
  });
}
