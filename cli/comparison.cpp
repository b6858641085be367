#include "comparison.hpp"

#include "measurement.hpp"
#include "memory.hpp"
#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace leat::cli {

namespace {

// What was measured of one program, round by round.
struct series {
  std::vector<double> seconds;
  std::vector<run_counters> counters;
};

spread spread_of(const std::vector<double>& seconds) {
  return {median(seconds), quantile(seconds, 0.1), quantile(seconds, 0.9), seconds};
}

// The median of each event of some runs; of two middle ones, the lower. of_run(run) gives the events.
template <class OfRun>
leat::counters medians_of(const std::vector<run_counters>& runs, OfRun of_run) {
  leat::counters medians;
  std::vector<std::uint64_t> values(runs.size());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  for (std::size_t i = 0; i < event_count; ++i) {
    std::ranges::transform(runs, values.begin(), [&](const run_counters& run) { return of_run(run).values[i]; });
    std::ranges::nth_element(values, middle);
    medians.values[i] = *middle;
  }
  return medians;
}

run_counters medians_of(const std::vector<run_counters>& runs) {
  run_counters medians{medians_of(runs, [](const run_counters& run) -> auto& { return run.all; }), {}};
  for (std::size_t w = 0; w < runs.front().workers.size(); ++w) {
    medians.workers.push_back(medians_of(runs, [w](const run_counters& run) -> auto& { return run.workers[w]; }));
  }
  return medians;
}

void stop_if_wrong(const compared_kernel& kernel) {
  if (kernel.failure().empty()) return;
  throw std::runtime_error(fmt::format("leat: compare {}: {}", kernel.name(), kernel.failure()));
}

std::vector<std::unique_ptr<runtime>> start_all(const comparing& how) {
  std::vector<std::unique_ptr<runtime>> runtimes;
  leat::options options = how.options;
  const std::string all =
      fmt::format("{} schedulers with {} workers each", how.schedulers.size(), options.resolved().workers.value_or(0));
  for (const std::string& scheduler : how.schedulers) {
    options.scheduler = scheduler;
    runtimes.push_back(with_memory_for(all, [&] { return std::make_unique<runtime>(options); }));
  }
  return runtimes;
}

// Until the workers of the run before have stopped spinning, and sleep.
void let_workers_sleep(const std::vector<std::unique_ptr<runtime>>& runtimes) {
  const std::uint64_t spin_us = runtimes.front()->options().spin_us.value_or(0);
  std::this_thread::sleep_for(std::chrono::microseconds(2 * spin_us));
}

void run_scheduler(compared_kernel& kernel, runtime& rt, unsigned warmup, series& measured) {
  for (unsigned run = 0; run < warmup; ++run) static_cast<void>(kernel.parallel(rt));
  const run_counters before = read_counters(rt);
  measured.seconds.push_back(kernel.parallel(rt));
  measured.counters.push_back(read_counters(rt) - before);
}

void run_serial(compared_kernel& kernel, unsigned warmup, series& measured) {
  for (unsigned run = 0; run < warmup; ++run) static_cast<void>(kernel.serial());
  measured.seconds.push_back(kernel.serial());
}

// The series of each scheduler, and at the end that of the serial program, which is empty where it was not run.
std::vector<series> measure(compared_kernel& kernel, const comparing& how) {
  const std::vector<std::unique_ptr<runtime>> runtimes = start_all(how);
  const std::size_t schedulers = runtimes.size();
  std::vector<series> all(schedulers + 1);
  std::vector<std::size_t> order(schedulers + (how.serial ? 1 : 0));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random;  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same orders each time
  progress shown;
  for (unsigned round = 1; round <= how.repeat; ++round) {
    // So that nobody always comes after the same one, or first.
    std::ranges::shuffle(order, random);
    for (const std::size_t program : order) {
      const bool is_serial = program == schedulers;
      shown.say(fmt::format("round {} of {}: {}", round, how.repeat, is_serial ? "serial" : how.schedulers[program]));
      let_workers_sleep(runtimes);
      if (is_serial) {
        run_serial(kernel, how.warmup, all[program]);
      } else {
        run_scheduler(kernel, *runtimes[program], how.warmup, all[program]);
      }
      stop_if_wrong(kernel);
    }
  }
  return all;
}

standing standing_of(const spread& own, const spread& best) {
  if (own.rounds.size() < rounds_to_judge) return standing::undecided;
  return own.p10 <= best.p90 ? standing::equal : standing::slower;
}

}  // namespace

std::string_view name(standing s) noexcept {
  switch (s) {
    case standing::best: return "best";
    case standing::equal: return "equal";
    case standing::slower: return "slower";
    case standing::undecided: return "undecided";
  }
  return "unknown";
}

comparison compare(compared_kernel& kernel, const comparing& how) {
  const std::vector<series> measured = measure(kernel, how);
  comparison result;
  if (how.serial) result.serial = spread_of(measured.back().seconds);
  for (std::size_t i = 0; i < how.schedulers.size(); ++i) {
    compared_scheduler s;
    s.scheduler = how.schedulers[i];
    s.seconds = spread_of(measured[i].seconds);
    s.counters = medians_of(measured[i].counters);
    if (result.serial) s.speedup = result.serial->median / s.seconds.median;
    // After the timed runs, whose workers are gone by now.
    leat::options options = how.options;
    options.scheduler = s.scheduler;
    s.counted = kernel.count(options);
    stop_if_wrong(kernel);
    result.schedulers.push_back(std::move(s));
  }
  const auto least =
      std::ranges::min_element(result.schedulers, {}, [](const compared_scheduler& s) { return s.seconds.median; });
  const spread best = least->seconds;
  for (compared_scheduler& s : result.schedulers) {
    s.of_best = s.seconds.median / best.median;
    s.standing = standing_of(s.seconds, best);
  }
  if (how.repeat >= rounds_to_judge) least->standing = standing::best;
  return result;
}

}  // namespace leat::cli
