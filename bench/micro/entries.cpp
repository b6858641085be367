// How long a thread of the program takes to become a worker and to be none again, around callables that no thief takes: by a
// team's call, and by the default runtime, which is there already.

#include <leat/leat.hpp>

#include <benchmark/benchmark.h>

namespace {

void by_team(benchmark::State& state) {
  leat::team all({.workers = static_cast<std::uint32_t>(state.range(0))});
  int n = 0;
  for (auto _ : state) all.call([&n] { benchmark::DoNotOptimize(++n); });
}
BENCHMARK(by_team)->Name("enter/team")->ArgName("workers")->Arg(1)->Arg(2);

// As many workers as the environment says, as a process has one default runtime.
void by_default_runtime(benchmark::State& state) {
  static_cast<void>(leat::default_runtime());
  int n = 0;
  for (auto _ : state) leat::fork_join([&n] { benchmark::DoNotOptimize(++n); }, [] {});
}
BENCHMARK(by_default_runtime)->Name("enter/default_runtime");

}  // namespace
