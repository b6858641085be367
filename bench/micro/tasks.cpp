// Forks, tasks, futures, groups and barriers, on one worker of each scheduler: what they cost where nobody steals. And
// barriers on all workers.

#include <leat/leat.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t batch = 1000;

leat::options with(std::uint64_t workers, std::string_view scheduler) {
  leat::options o;
  o.workers = workers;
  o.scheduler = std::string(scheduler);
  return o;
}

// Each of these is called in a run, and says how many operations an iteration has.

std::int64_t fork_plain() {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  for (std::int64_t i = 0; i < batch; ++i) {
    leat::fork_join([&a] { benchmark::DoNotOptimize(++a); }, [&b] { benchmark::DoNotOptimize(++b); });
  }
  return a == b ? batch : 0;
}

std::int64_t fork_context() {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  leat::with_context([&](leat::context c) {
    for (std::int64_t i = 0; i < batch; ++i) {
      leat::fork_join(
          c, [&a](leat::context) { benchmark::DoNotOptimize(++a); },
          [&b](leat::context) { benchmark::DoNotOptimize(++b); });
    }
  });
  return a == b ? batch : 0;
}

std::int64_t spawn() {
  std::int64_t ran = 0;
  for (std::int64_t i = 0; i < batch; ++i) leat::spawn([&ran] { ++ran; });
  leat::barrier();
  return ran;
}

std::int64_t group() {
  std::int64_t ran = 0;
  leat::task_group tasks;
  for (std::int64_t i = 0; i < batch; ++i) tasks.spawn([&ran] { ++ran; });
  tasks.wait();
  return ran;
}

std::int64_t future() {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < batch; ++i) sum += leat::async([] { return std::int64_t{1}; }).get();
  return sum;
}

std::int64_t barrier() {
  leat::barrier();
  return 1;
}

void measure(benchmark::State& state, std::int64_t (*operations)(), std::uint64_t workers, std::string_view scheduler) {
  leat::runtime rt(with(workers, scheduler));
  rt.run([&] {
    std::int64_t each = 0;
    for (auto _ : state) {
      const std::int64_t done = operations();
      if (done == 0 || (each != 0 && done != each)) return state.SkipWithError("an operation was lost");
      each = done;
    }
    state.counters["one"] = benchmark::Counter(static_cast<double>(state.iterations() * each),
                                               benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  });
}

struct measured {
  const char* name;
  std::int64_t (*operations)();
};

const bool registered = [] {
  for (const std::string_view scheduler : leat::scheduler_names()) {
    for (const measured& m : {measured{"fork_join/plain", fork_plain},
                              {"fork_join/context", fork_context},
                              {"spawn", spawn},
                              {"task_group", group},
                              {"future", future},
                              {"barrier", barrier}}) {
      benchmark::RegisterBenchmark(("task/" + std::string(m.name) + "/" + std::string(scheduler)).c_str(),
                                   [m, scheduler](benchmark::State& s) { measure(s, m.operations, 1, scheduler); })
          ->UseRealTime();
    }
  }
  for (const std::uint64_t workers : {2, 8}) {
    benchmark::RegisterBenchmark(("task/barrier/channel/workers:" + std::to_string(workers)).c_str(),
                                 [workers](benchmark::State& s) { measure(s, barrier, workers, "channel"); })
        ->UseRealTime();
  }
  return true;
}();

}  // namespace
