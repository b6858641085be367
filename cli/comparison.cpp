#include "comparison.hpp"

#include "measurement.hpp"
#include "memory.hpp"
#include "rival.hpp"

#include "kernels/busy_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
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

// All programs that take part with so many workers.
struct configuration {
  unsigned workers;
  std::vector<std::unique_ptr<runtime>> runtimes;
  std::vector<std::unique_ptr<rival>> rivals;
};

std::vector<std::unique_ptr<runtime>> start_runtimes(const comparing& how, unsigned workers) {
  std::vector<std::unique_ptr<runtime>> runtimes;
  leat::options options = how.options;
  options.workers = workers;
  const std::string all = fmt::format("{} schedulers with {} workers each", how.schedulers.size(), workers);
  for (const std::string& scheduler : how.schedulers) {
    options.scheduler = scheduler;
    runtimes.push_back(with_memory_for(all, [&] { return std::make_unique<runtime>(options); }));
  }
  return runtimes;
}

std::vector<std::unique_ptr<rival>> start_rivals(const compared_kernel& kernel, const comparing& how,
                                                 unsigned workers) {
  std::vector<std::unique_ptr<rival>> rivals;
  for (const std::filesystem::path& program : how.rivals) {
    rivals.push_back(std::make_unique<rival>(program, kernel.name(), workers, kernel.parameters()));
  }
  return rivals;
}

// A rival without a program for the kernel, be it with one worker only, takes part in no configuration: all have the
// same programs.
std::map<std::string, std::string> leave_out_who_cannot(std::vector<configuration>& configurations) {
  std::map<std::string, std::string> left_out;
  for (const configuration& c : configurations) {
    for (const auto& r : c.rivals) {
      if (!r->cannot().empty()) left_out.emplace(r->name(), r->cannot());
    }
  }
  for (configuration& c : configurations)
    std::erase_if(c.rivals, [&](const auto& r) { return left_out.contains(r->name()); });
  return left_out;
}

// With the workers asked for; and with one each, where that is asked for and is not the same.
std::vector<configuration> start_configurations(const compared_kernel& kernel, const comparing& how) {
  const auto workers = static_cast<unsigned>(how.options.resolved().workers.value_or(0));
  std::vector<configuration> configurations;
  for (const unsigned each : {workers, 1U}) {
    if (!configurations.empty() && (!how.alone || each == workers)) break;
    auto rivals = start_rivals(kernel, how, each);
    configurations.push_back({each, start_runtimes(how, each), std::move(rivals)});
  }
  return configurations;
}

// Until the workers of the run before have stopped spinning, and sleep.
void let_workers_sleep(const configuration& all) {
  const std::uint64_t spin_us = all.runtimes.front()->options().spin_us.value_or(0);
  std::this_thread::sleep_for(std::chrono::microseconds(2 * spin_us));
}

// One that takes part: what it is called, and how it runs once, right after so many runs to warm up.
struct participant {
  std::string name;
  std::function<void(series&)> run;
  const runtime* scheduler = nullptr;  // if it is one
};

double run_rival(compared_kernel& kernel, rival& r) {
  const rival::turn t = r.run();
  kernel.take_rival(r.name(), t.found);
  return t.seconds;
}

// Of each configuration the schedulers and then the rivals; the serial program, where it takes part.
std::vector<participant> participants(compared_kernel& kernel, const comparing& how,
                                      const std::vector<configuration>& configurations) {
  std::vector<participant> all;
  const auto timed = [warmup = how.warmup](auto seconds_of_run) {
    return [seconds_of_run, warmup](series& measured) {
      for (unsigned run = 0; run < warmup; ++run) static_cast<void>(seconds_of_run());
      measured.seconds.push_back(seconds_of_run());
    };
  };
  for (const configuration& c : configurations) {
    for (const auto& rt : c.runtimes) {
      all.push_back({std::string(rt->scheduler()),
                     [&kernel, &rt = *rt, warmup = how.warmup](series& measured) {
                       for (unsigned run = 0; run < warmup; ++run) static_cast<void>(kernel.parallel(rt));
                       const run_counters before = read_counters(rt);
                       measured.seconds.push_back(kernel.parallel(rt));
                       measured.counters.push_back(read_counters(rt) - before);
                     },
                     rt.get()});
    }
    for (const auto& r : c.rivals) {
      all.push_back({r->name(), timed([&kernel, &r = *r] { return run_rival(kernel, r); })});
    }
  }
  if (how.serial) all.push_back({"serial", timed([&kernel] { return kernel.serial(); })});
  return all;
}

// The series of each participant. `noise` gets what the same piece of work took before each turn, where it is judged by.
std::vector<series> measure(compared_kernel& kernel, const comparing& how,
                            const std::vector<configuration>& configurations, std::optional<spread>& noise) {
  const std::vector<participant> all = participants(kernel, how, configurations);
  std::vector<series> measured(all.size());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random;  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same orders each time
  const bool judged = how.repeat >= rounds_to_judge;
  const kernels::busy_loop piece(judged ? noise_us : 0);
  std::vector<double> pieces;
  progress shown(how.shows_progress);
  for (unsigned round = 1; round <= how.repeat; ++round) {
    // So that nobody always comes after the same one, or first.
    std::ranges::shuffle(order, random);
    for (const std::size_t next : order) {
      const runtime* const runs = all[next].scheduler;
      const progress::step now(shown,
                               fmt::format("{}, round {} of {}: {}", kernel.name(), round, how.repeat, all[next].name),
                               runs == nullptr ? progress::detail() : what_happens_in(*runs));
      let_workers_sleep(configurations.front());
      if (judged) pieces.push_back(seconds_taken(piece));
      all[next].run(measured[next]);
      stop_if_wrong(kernel);
    }
  }
  if (judged) noise = spread_of(pieces);
  return measured;
}

// Each program with its times; `measured` as in participants().
void take_times(comparison& result, const comparing& how, const std::vector<series>& measured) {
  const std::size_t programs = result.schedulers.size() + result.rivals.size();
  const std::size_t first_alone =
      measured.size() - (how.serial ? 1 : 0) - programs;  // 0 where one configuration did both
  const auto take = [&](compared_program& p, std::size_t i) {
    p.seconds = spread_of(measured[i].seconds);
    if (how.alone) p.alone = spread_of(measured[first_alone + i].seconds);
  };
  std::size_t next = 0;
  for (compared_scheduler& s : result.schedulers) {
    s.counters = medians_of(measured[next].counters);
    take(s, next++);
  }
  for (compared_program& r : result.rivals) take(r, next++);
  if (how.serial) result.serial = spread_of(measured.back().seconds);
}

double ratio_of(const spread& s) { return s.p90 / s.p10; }

standing standing_of(const compared_program& own, const spread& best, std::optional<double> told_apart_above) {
  if (!told_apart_above) return standing::undecided;
  const bool apart = own.seconds.p10 > best.p90 && own.of_best > *told_apart_above;
  return apart ? standing::slower : standing::alike;
}

// What the programs' times come to beside each other, once the medians are there.
void rank(comparison& result) {
  std::vector<compared_program*> all;
  for (compared_scheduler& s : result.schedulers) all.push_back(&s);
  for (compared_program& r : result.rivals) all.push_back(&r);
  if (result.noise) {
    std::vector<double> ratios;
    for (const compared_program* p : all) ratios.push_back(ratio_of(p->seconds));
    result.told_apart_above = std::max(ratio_of(*result.noise), median(std::move(ratios)));
  }
  compared_program* const least =
      *std::ranges::min_element(all, {}, [](const compared_program* p) { return p->seconds.median; });
  const spread best = least->seconds;
  for (compared_program* p : all) {
    p->of_best = p->seconds.median / best.median;
    p->standing = standing_of(*p, best, result.told_apart_above);
    if (!result.serial) continue;
    p->speedup = result.serial->median / p->seconds.median;
    if (p->alone) p->overhead = p->alone->median / result.serial->median;
  }
  if (result.noise) least->standing = standing::best;
}

}  // namespace

std::string_view name(standing s) noexcept {
  switch (s) {
    case standing::best: return "best";
    case standing::alike: return "not told apart";
    case standing::slower: return "slower";
    case standing::undecided: return "undecided";
  }
  return "unknown";
}

comparison compare(compared_kernel& kernel, const comparing& how) {
  comparison result;
  std::vector<configuration> configurations = start_configurations(kernel, how);
  result.left_out = leave_out_who_cannot(configurations);
  for (const std::string& scheduler : how.schedulers) result.schedulers.emplace_back().name = scheduler;
  for (const auto& r : configurations.front().rivals) result.rivals.emplace_back().name = r->name();
  take_times(result, how, measure(kernel, how, configurations, result.noise));
  rank(result);
  configurations.clear();  // no worker is in the way of what is only counted
  for (compared_scheduler& s : result.schedulers) {
    leat::options options = how.options;
    options.scheduler = s.name;
    s.counted = kernel.count(options);
    stop_if_wrong(kernel);
  }
  return result;
}

}  // namespace leat::cli
