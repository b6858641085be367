// How long it takes until somebody begins, and until who waits knows the end. Each iteration is timed by itself. The
// column of times has means, in which a few count much where the system had the CPU; p50 and p90 are percentiles.

#include <leat/leat.hpp>
#include <leat/platform/native.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace {

using leat::platform::native;

constexpr std::int64_t times = 300;
constexpr std::uint64_t asleep_after_ns = 1'000'000;  // ten times as long as workers spin

// A thief that steals less pauses before it steals again (protocol::pace).
constexpr std::uint64_t worth_a_steal_ns = 5000;

leat::options workers(std::int64_t count) {
  leat::options o;
  o.workers = static_cast<std::uint64_t>(count);
  return o;
}

// The times of one benchmark.
class latencies {
 public:
  explicit latencies(benchmark::State& state) : state_(state) {}

  void take(std::uint64_t from_ns, std::uint64_t to_ns) {
    const double seconds = to_ns > from_ns ? static_cast<double>(to_ns - from_ns) * 1e-9 : 0;
    state_.SetIterationTime(seconds);
    seconds_.push_back(seconds);
  }

  void report() {
    std::ranges::sort(seconds_);
    state_.counters["p50"] = seconds_[seconds_.size() / 2];
    state_.counters["p90"] = seconds_[seconds_.size() * 9 / 10];
  }

 private:
  benchmark::State& state_;
  std::vector<double> seconds_;
};

// From the call of run to the first instruction of its root, while all workers sleep.
void begin(benchmark::State& state) {
  leat::runtime rt(workers(state.range(0)));
  latencies all(state);
  for (auto _ : state) {
    native::sleep_ns(asleep_after_ns);
    const std::uint64_t called = native::now_ns();
    all.take(called, rt.run([] { return native::now_ns(); }));
  }
  all.report();
}
BENCHMARK(begin)->Name("latency/run_begins")->ArgName("workers")->Arg(1)->Arg(2)->Iterations(times)->UseManualTime();

// From the end of the last task to the return of run.
void end(benchmark::State& state) {
  leat::runtime rt(workers(state.range(0)));
  latencies all(state);
  for (auto _ : state) {
    std::vector<std::atomic<std::uint64_t>> ended(static_cast<std::size_t>(state.range(0)));
    rt.run([&] {
      for (auto& at : ended) {
        leat::spawn([&at] { at = native::now_ns(); });
      }
    });
    const std::uint64_t returned = native::now_ns();
    const std::uint64_t last = *std::ranges::max_element(ended, {}, [](const auto& at) { return at.load(); });
    all.take(last, returned);
  }
  all.report();
}
BENCHMARK(end)
    ->Name("latency/run_ends")
    ->ArgName("workers")
    ->Arg(1)
    ->Arg(2)
    ->Arg(8)
    ->Iterations(times)
    ->UseManualTime();

// From a spawn to the beginning of the task on the other worker, which sleeps, or still spins. The first one is busy
// all the time: the system likes to wake a thread on the CPU of one that has slept, and takes milliseconds to part the
// two.
void wake(benchmark::State& state) {
  leat::runtime rt(workers(2));
  latencies all(state);
  rt.run([&] {
    for (auto _ : state) {
      const std::uint64_t until = native::now_ns() + (state.range(0) != 0 ? asleep_after_ns : 0);
      while (native::now_ns() < until) leat::poll();
      std::uint64_t began = 0;
      std::atomic<bool> ended = false;
      const std::uint64_t spawned = native::now_ns();
      leat::spawn([&began, &ended] {
        began = native::now_ns();
        while (native::now_ns() < began + worth_a_steal_ns) native::relax();
        ended = true;
      });
      while (!ended) leat::poll();
      all.take(spawned, began);
    }
  });
  all.report();
}
BENCHMARK(wake)->Name("latency/steal")->ArgName("thief_sleeps")->Arg(0)->Arg(1)->Iterations(times)->UseManualTime();

}  // namespace
