// What a submission costs the thread that submits, from one thread and from eight, and beside oneTBB's enqueue: CPU time of
// those threads. And how long all take until the last task is done.

#include <leat/leat.hpp>

#include <benchmark/benchmark.h>

#ifdef LEAT_MICRO_TBB
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#endif

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t in_all = 200'000;
constexpr int workers = 2;

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// submit(task) from so many threads, each of which submits its part. Every task counts, and is followed by what `pause` does.
template <class Submit, class Pause>
void submit_from(benchmark::State& state, Submit submit, Pause pause) {
  const std::int64_t threads = state.range(0);
  const std::int64_t each = in_all / threads;
  double seconds = 0;
  for (auto _ : state) {
    std::atomic<std::int64_t> done{0}, begun{0};
    std::vector<double> of(static_cast<std::size_t>(threads));
    std::vector<std::thread> all;
    for (std::int64_t t = 0; t < threads; ++t) {
      all.emplace_back([&, t] {
        begun.fetch_add(1);
        while (begun.load() != threads) std::this_thread::yield();
        double mine = 0;
        for (std::int64_t i = 0; i < each;) {
          const double before = cpu_seconds();
          const std::int64_t until = std::min(i + 100, each);
          for (; i < until; ++i) submit([&done] { done.fetch_add(1, std::memory_order_relaxed); });
          mine += cpu_seconds() - before;
          pause();
        }
        of[static_cast<std::size_t>(t)] = mine;
      });
    }
    for (auto& t : all) t.join();
    while (done.load() != each * threads) std::this_thread::yield();
    double sum = 0;
    for (const double s : of) sum += s;
    state.SetIterationTime(sum);
    seconds += sum;
  }
  state.counters["submit_ns"] = 1e9 * seconds / static_cast<double>(state.iterations() * each * threads);
}

void on_leat(benchmark::State& state) {
  leat::runtime rt({.workers = workers});
  submit_from(state, [&rt](auto f) { static_cast<void>(rt.submit(f)); }, [] {});
}
BENCHMARK(on_leat)->Name("submit/leat")->ArgName("threads")->Arg(1)->Arg(8)->UseManualTime()->MeasureProcessCPUTime();

// Workers run out of tasks between a hundred submissions and the next.
void on_leat_at_times(benchmark::State& state) {
  leat::runtime rt({.workers = workers});
  submit_from(
      state, [&rt](auto f) { static_cast<void>(rt.submit(f)); }, [] { leat::platform::native::sleep_ns(20'000); });
}
BENCHMARK(on_leat_at_times)->Name("submit/leat_at_times")->ArgName("threads")->Arg(1)->Arg(8)->UseManualTime();

#ifdef LEAT_MICRO_TBB
void on_tbb(benchmark::State& state) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, workers + 1);
  tbb::task_arena arena(workers, 0);
  submit_from(state, [&arena](auto f) { arena.enqueue(f); }, [] {});
}
BENCHMARK(on_tbb)->Name("submit/onetbb")->ArgName("threads")->Arg(1)->Arg(8)->UseManualTime()->MeasureProcessCPUTime();

void on_tbb_at_times(benchmark::State& state) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, workers + 1);
  tbb::task_arena arena(workers, 0);
  submit_from(state, [&arena](auto f) { arena.enqueue(f); }, [] { leat::platform::native::sleep_ns(20'000); });
}
BENCHMARK(on_tbb_at_times)->Name("submit/onetbb_at_times")->ArgName("threads")->Arg(1)->Arg(8)->UseManualTime();
#endif

}  // namespace
