// Short loops, called from the main thread of a program that has no runtime of its own. One source, built for each library.
//
// usage: PROGRAM [WORKERS [CALLS [ITERATIONS [NANOSECONDS [PAUSE]]]]]      2, 100000, 1000, 10 and 0 where they are not given
//
// After each call the main thread computes alone for PAUSE microseconds. Prints what a call takes without that, in microseconds: the
// median over hundredths of the calls, the mean of all, and that of the same loop without a library. And the CPU time of all
// threads for a call, without that of the pause. And how many steps an iteration has: programs whose numbers differ did different work.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#if defined(LEAT_BENCH_ON_LEAT)
#include <leat/default_runtime.hpp>
#include <leat/parallel_for.hpp>
#elif defined(LEAT_BENCH_ON_TBB)
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#endif

namespace {

using clock_type = std::chrono::steady_clock;

double us_since(clock_type::time_point start) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - start).count();
}

// Of the process.
double cpu_us() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

void compute_alone(double us) {
  if (us == 0) return;
  const auto start = clock_type::now();
  while (us_since(start) < us) {
  }
}

// Each multiplication waits for the one before. Where a loop lies in memory decides how well a processor predicts its end: a loop of
// 25 short steps took a third more time in one program than in another. So the function is the same one for all libraries and the
// serial loop, and has few steps, each of several multiplications.
[[gnu::noinline]] std::uint64_t busy(std::uint64_t x, std::uint64_t steps) {
  constexpr std::uint64_t a = 6364136223846793005u;
  constexpr std::uint64_t c = 1442695040888963407u;
  for (std::uint64_t s = 0; s != steps; ++s) {
    x = x * a + c;
    x = x * a + c;
    x = x * a + c;
    x = x * a + c;
  }
  return x;
}

// The steps of an iteration that takes so long where it overlaps the next one: alone, a chain of steps takes up to three times as
// long. That depends on the number of steps, so each guess is corrected by the time that it takes.
std::uint64_t steps_that_take(double ns) {
  constexpr int guesses = 8;
  std::vector<std::uint64_t> made(1000, 1);
  auto steps = static_cast<std::uint64_t>(std::max(1.0, ns / 4));
  for (int guess = 0; guess != guesses; ++guess) {
    double best = 1e300;  // us of 1000 iterations, so ns of one
    for (int i = 0; i != 200; ++i) {
      const auto start = clock_type::now();
      for (std::uint64_t& m : made) m = busy(m, steps);
      best = std::min(best, us_since(start));
    }
    steps = static_cast<std::uint64_t>(std::max(1.0, std::round(static_cast<double>(steps) * ns / best)));
  }
  return made.back() == 0 ? 1 : steps;  // what was made is used
}

template <class Body>
void loop([[maybe_unused]] int workers, std::int64_t iterations, const Body& body) {
#if defined(LEAT_BENCH_ON_LEAT)
  leat::parallel_for(std::int64_t{0}, iterations, body);
#elif defined(LEAT_BENCH_ON_TBB)
  tbb::parallel_for(std::int64_t{0}, iterations, body);
#else
#pragma omp parallel for num_threads(workers)
  for (std::int64_t i = 0; i < iterations; ++i) body(i);
#endif
}

struct result {
  double median_us;
  double mean_us;
  double cpu_us;
};

// Timed in hundredths of the calls: one alone is too short for the clock.
template <class Call>
result time(std::int64_t calls, double pause_us, const Call& call) {
  constexpr std::int64_t parts = 100;
  const std::int64_t each = std::max<std::int64_t>(calls / parts, 1);
  std::vector<double> us;
  double all = 0;
  const double cpu_before = cpu_us();
  for (std::int64_t p = 0; p != parts; ++p) {
    const auto start = clock_type::now();
    for (std::int64_t c = 0; c != each; ++c) call(), compute_alone(pause_us);
    const double took = us_since(start) - pause_us * static_cast<double>(each);
    all += took;
    us.push_back(took / static_cast<double>(each));
  }
  const double cpu = (cpu_us() - cpu_before) / static_cast<double>(each * parts) - pause_us;
  std::ranges::nth_element(us, us.begin() + parts / 2);
  return {us[parts / 2], all / static_cast<double>(each * parts), cpu};
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t given[] = {2, 100'000, 1000, 10, 0};
  constexpr const char* names[] = {"WORKERS", "CALLS", "ITERATIONS", "NANOSECONDS", "PAUSE"};
  constexpr std::int64_t smallest[] = {1, 1, 1, 1, 0};
  for (int i = 0; i != 5 && i + 1 < argc; ++i) {
    char* end = nullptr;
    given[i] = std::strtoll(argv[i + 1], &end, 10);
    if (*argv[i + 1] != 0 && *end == 0 && given[i] >= smallest[i] && given[i] <= 1'000'000'000) continue;
    std::fprintf(stderr, "calls: %s = '%s': must be a whole number from %d to 1000000000\n", names[i], argv[i + 1],
                 static_cast<int>(smallest[i]));
    return 1;
  }
  const auto [workers, calls, iterations, ns, pause_us] = given;

#if defined(LEAT_BENCH_ON_LEAT)
  leat::configure_default({.workers = static_cast<std::uint32_t>(workers)});
#elif defined(LEAT_BENCH_ON_TBB)
  const tbb::global_control least(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
#endif

  std::vector<std::uint64_t> made(static_cast<std::size_t>(iterations), 1);
  const std::uint64_t steps = steps_that_take(static_cast<double>(ns));
  const auto body = [at = made.data(), steps](std::int64_t i) { at[i] = busy(at[i], steps); };
  const auto serial = [&] {
    for (std::int64_t i = 0; i != iterations; ++i) body(i);
  };
  const auto parallel = [&] { loop(static_cast<int>(workers), iterations, body); };

  time(calls / 10, 0, parallel);  // the threads begin
  const result r = time(calls, static_cast<double>(pause_us), parallel);
  const result s = time(calls / 10, 0, serial);
  std::printf("median_us %.3f mean_us %.3f serial_us %.3f cpu_us %.3f steps %llu\n", r.median_us, r.mean_us,
              s.median_us, r.cpu_us, static_cast<unsigned long long>(steps));
}
