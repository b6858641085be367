// A thread of the program hands out jobs, tasks of a run take them, and the thread collects what they find, in any order. The
// channel of jobs is closed when there are no more; so the tasks end, and the run with them.

#include <leat/leat.hpp>

#include <cstdint>
#include <cstdio>
#include <thread>

namespace {

constexpr std::uint64_t jobs = 2'000;

struct finding {
  std::uint64_t job;
  std::uint64_t steps;
};

// How many steps of Collatz' rule lead to 1.
std::uint64_t steps_from(std::uint64_t n) {
  std::uint64_t steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

}  // namespace

int main() {
  leat::runtime rt({.workers = 4});
  leat::channel<std::uint64_t, leat::ends::one, leat::ends::many> to_do(16);
  leat::channel<finding, leat::ends::many, leat::ends::one> found(16);
  std::thread farm([&] {
    rt.run([&] {
      leat::task_group workers;
      for (std::uint32_t w = 0; w < rt.workers(); ++w) {
        workers.spawn([&] {
          for (const std::uint64_t job : to_do) found.send(finding{job, steps_from(job)});
        });
      }
      workers.wait();
    });
    found.close();
  });

  // Neither side waits for the other for ever: a job is sent only if there is room, and findings are taken meanwhile.
  std::uint64_t next = 1, taken = 0, sum = 0;
  while (taken < jobs) {
    while (next <= jobs && to_do.try_send(next)) ++next;
    if (next > jobs) to_do.close();
    if (const auto f = found.receive()) sum += f->job * f->steps, ++taken;
  }
  farm.join();

  std::uint64_t wanted = 0;
  for (std::uint64_t n = 1; n <= jobs; ++n) wanted += n * steps_from(n);
  std::printf("%llu jobs, sum %llu\n", static_cast<unsigned long long>(taken), static_cast<unsigned long long>(sum));
  return taken == jobs && sum == wanted ? 0 : 1;
}
