#include "comparison.hpp"

#include "measurement.hpp"
#include "memory.hpp"
#include "progress.hpp"
#include "rival.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
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

// One that takes part: what it is called, and how it runs once, right after so many runs to warm up.
struct participant {
  std::string name;
  std::function<void(series&)> run;
};

double run_rival(compared_kernel& kernel, rival& r) {
  const rival::turn t = r.run();
  kernel.take_rival(r.name(), t.found);
  return t.seconds;
}

// The schedulers, the rivals, and the serial program, where it takes part.
std::vector<participant> participants(compared_kernel& kernel, const comparing& how,
                                      const std::vector<std::unique_ptr<runtime>>& runtimes,
                                      const std::vector<std::unique_ptr<rival>>& rivals) {
  std::vector<participant> all;
  for (const auto& rt : runtimes) {
    all.push_back({std::string(rt->scheduler()), [&kernel, &rt = *rt, warmup = how.warmup](series& measured) {
                     for (unsigned run = 0; run < warmup; ++run) static_cast<void>(kernel.parallel(rt));
                     const run_counters before = read_counters(rt);
                     measured.seconds.push_back(kernel.parallel(rt));
                     measured.counters.push_back(read_counters(rt) - before);
                   }});
  }
  const auto timed = [warmup = how.warmup](auto seconds_of_run) {
    return [seconds_of_run, warmup](series& measured) {
      for (unsigned run = 0; run < warmup; ++run) static_cast<void>(seconds_of_run());
      measured.seconds.push_back(seconds_of_run());
    };
  };
  for (const auto& r : rivals) all.push_back({r->name(), timed([&kernel, &r = *r] { return run_rival(kernel, r); })});
  if (how.serial) all.push_back({"serial", timed([&kernel] { return kernel.serial(); })});
  return all;
}

// The series of each participant.
std::vector<series> measure(compared_kernel& kernel, const comparing& how,
                            const std::vector<std::unique_ptr<rival>>& rivals) {
  const std::vector<std::unique_ptr<runtime>> runtimes = start_all(how);
  const std::vector<participant> all = participants(kernel, how, runtimes, rivals);
  std::vector<series> measured(all.size());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random;  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same orders each time
  progress shown;
  for (unsigned round = 1; round <= how.repeat; ++round) {
    // So that nobody always comes after the same one, or first.
    std::ranges::shuffle(order, random);
    for (const std::size_t next : order) {
      shown.say(fmt::format("round {} of {}: {}", round, how.repeat, all[next].name));
      let_workers_sleep(runtimes);
      all[next].run(measured[next]);
      stop_if_wrong(kernel);
    }
  }
  return measured;
}

// Those that have a program for the kernel; the others are noted in `left_out`.
std::vector<std::unique_ptr<rival>> start_rivals(const compared_kernel& kernel, const comparing& how,
                                                 comparison& result) {
  std::vector<std::unique_ptr<rival>> rivals;
  for (const std::filesystem::path& program : how.rivals) {
    auto started = std::make_unique<rival>(
        program, kernel.name(), static_cast<unsigned>(how.options.resolved().workers.value_or(0)), kernel.parameters());
    if (started->cannot().empty()) rivals.push_back(std::move(started));
    else result.left_out.emplace_back(started->name(), started->cannot());
  }
  return rivals;
}

standing standing_of(const spread& own, const spread& best) {
  if (own.rounds.size() < rounds_to_judge) return standing::undecided;
  return own.p10 <= best.p90 ? standing::equal : standing::slower;
}

// What the programs' times come to beside each other, once the medians are there.
void rank(comparison& result, unsigned rounds) {
  std::vector<compared_program*> all;
  for (compared_scheduler& s : result.schedulers) all.push_back(&s);
  for (compared_program& r : result.rivals) all.push_back(&r);
  compared_program* const least =
      *std::ranges::min_element(all, {}, [](const compared_program* p) { return p->seconds.median; });
  const spread best = least->seconds;
  for (compared_program* p : all) {
    p->of_best = p->seconds.median / best.median;
    p->standing = standing_of(p->seconds, best);
    if (result.serial) p->speedup = result.serial->median / p->seconds.median;
  }
  if (rounds >= rounds_to_judge) least->standing = standing::best;
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
  comparison result;
  const std::vector<std::unique_ptr<rival>> rivals = start_rivals(kernel, how, result);
  const std::vector<series> measured = measure(kernel, how, rivals);
  auto next = measured.begin();
  for (const std::string& scheduler : how.schedulers) {
    compared_scheduler s;
    s.name = scheduler;
    s.counters = medians_of(next->counters);
    s.seconds = spread_of(next++->seconds);
    // After the timed runs, whose workers are gone by now.
    leat::options options = how.options;
    options.scheduler = scheduler;
    s.counted = kernel.count(options);
    stop_if_wrong(kernel);
    result.schedulers.push_back(std::move(s));
  }
  for (const auto& r : rivals) {
    compared_program p;
    p.name = r->name();
    p.seconds = spread_of(next++->seconds);
    result.rivals.push_back(std::move(p));
  }
  if (how.serial) result.serial = spread_of(next->seconds);
  rank(result, how.repeat);
  return result;
}

}  // namespace leat::cli
