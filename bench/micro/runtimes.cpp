// Two runtimes at once, each with a worker for each CPU and work for all of them: with shared CPUs (options::share_cpus) and without.
// One runtime alone is there to compare with.

#include <leat/leat.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace {

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void recursion(leat::runtime& rt) {
  rt.run([] { benchmark::DoNotOptimize(fib(27)); });
}

// About 3 us of work in each iteration, and a join after half a millisecond.
void short_loops(leat::runtime& rt) {
  constexpr int loops = 40, iterations = 256, roots = 1000;
  std::vector<double> v(iterations);
  for (int k = 0; k < loops; ++k) {
    rt.run([&] {
      leat::parallel_for(0, iterations, [&](int i) {
        double x = v[static_cast<std::size_t>(i)];
        for (int r = 0; r < roots; ++r) x = std::sqrt(x + r);
        v[static_cast<std::size_t>(i)] = x;
      });
    });
  }
  benchmark::DoNotOptimize(v.data());
}

// range(0): how many runtimes; range(1): whether they share.
template <void (*Work)(leat::runtime&)>
void at_once(benchmark::State& state) {
  leat::options o;
  o.share_cpus = state.range(1) != 0;
  std::vector<std::unique_ptr<leat::runtime>> runtimes;
  for (std::int64_t i = 0; i < state.range(0); ++i) runtimes.push_back(std::make_unique<leat::runtime>(o));
  for (auto _ : state) {
    std::vector<std::thread> callers;
    for (const auto& rt : runtimes) callers.emplace_back([&rt] { Work(*rt); });
    for (std::thread& t : callers) t.join();
  }
}

BENCHMARK(at_once<recursion>)->ArgsProduct({{1, 2}, {0, 1}})->ArgNames({"runtimes", "share"})->UseRealTime();
BENCHMARK(at_once<short_loops>)->ArgsProduct({{1, 2}, {0, 1}})->ArgNames({"runtimes", "share"})->UseRealTime();

}  // namespace
