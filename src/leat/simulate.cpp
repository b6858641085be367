#include "leat/simulate.hpp"

#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 2

// Empty for other platforms: there leat::simulate is an inline function of the header, or is not there.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

namespace leat::inline LEAT_ABI {

namespace {

using platform::simulation;

// by_priority needs an estimate of the world's length, as its changes are drawn among so many steps: in a shorter
// world some never come, and a longer one has none in its later part.
std::unique_ptr<platform::schedule> schedule_of(const simulation_options& how) {
  constexpr std::uint32_t rarity = 8;     // another fibre goes on at every so many-th step
  constexpr std::uint32_t changes = 3;    // of priorities
  constexpr std::uint64_t steps = 10'000;  // among so many
  switch (how.order) {
    case simulated_order::at_random: return std::make_unique<platform::at_random>(how.seed, rarity);
    case simulated_order::by_priority: return std::make_unique<platform::by_priority>(how.seed, changes, steps);
    case simulated_order::by_time: break;
  }
  return std::make_unique<platform::by_time>();
}

// Each operation belongs to one share, so they add up to 1. The time that a fibre waited for cache lines is in the
// operations that waited; it is taken out of them and told by itself. Both are rounded to nanoseconds on their own,
// so the difference may fall below 0 by the rounding.
simulated_run::shares shares_of(const simulation::outcome::account& thread) {
  using platform::operation;
  double all = 0;
  // A thread that made no step has no shares: 0 of everything.
  for (const std::uint64_t ns : thread.spent_ns) all += static_cast<double>(ns);
  if (all == 0) return {};
  const auto share = [&](std::initializer_list<operation> of) {
    double sum = 0;
    for (const operation o : of) sum += static_cast<double>(thread.spent_ns[static_cast<std::size_t>(o)]);
    return sum / all;
  };
  const double lines = static_cast<double>(thread.awaited_ns) / all;
  const double memory = share({operation::load, operation::store, operation::rmw, operation::fence});
  return {share({operation::work}),
          std::max(0.0, memory - lines),
          lines,
          share({operation::begin, operation::relax, operation::yield, operation::clock}),
          share({operation::wake, operation::interrupt, operation::handler, operation::start}),
          share({operation::wait, operation::sleep, operation::join, operation::end})};
}

simulation::outcome::account sum_of(const std::vector<simulation::outcome::account>& threads) {
  simulation::outcome::account sum;
  for (const auto& of_it : threads) {
    for (std::size_t i = 0; i < platform::operations; ++i) sum.spent_ns[i] += of_it.spent_ns[i];
    sum.awaited_ns += of_it.awaited_ns;
  }
  return sum;
}

}  // namespace

simulated_run simulate(const simulation_options& how, const std::function<void()>& main) {
  simulation::settings s;
  // The file is read and checked in any case; where the clock does not decide who goes on, the machine is the even
  // one.
  if (!how.machine.empty()) s.on = platform::machine::read(how.machine);
  if (how.order != simulated_order::by_time) s.on = platform::machine::even();
  // Of the faults, which leat::simulate has none of; the schedule has the same seed for what it draws.
  s.seed = how.seed;
  s.steps_max = how.steps_max;
  s.stack_bytes = how.stack_bytes;
  // Made outside of the world, as it outlives that.
  const std::unique_ptr<platform::schedule> who = schedule_of(how);
  const simulation::outcome end = simulation(s, *who).run(main);
  // Thrown after the world, in memory of the host: an exception of the world's would refer to memory that is gone.
  if (!end.ok()) throw simulation_failed("leat: the simulated world failed: " + end.failure);
  // What comes out are numbers and text of the host: the world's memory has been given up.
  simulated_run run{end.ns, end.steps, end.trace, shares_of(sum_of(end.threads)), {}};
  for (const auto& of_it : end.threads) run.threads.push_back(shares_of(of_it));
  return run;
}

}  // namespace leat::inline LEAT_ABI

#endif
