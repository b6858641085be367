#include "loop_kernel.hpp"

#include "option_values.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace leat::cli {

namespace loop = kernels::loop;

namespace {

using loop::kind;

constexpr std::array kinds = {kind::FG, kind::CG, kind::RG, kind::IG, kind::DG, kind::uniform, kind::ramp};
constexpr std::array constructs = {kernels::construct::fork, kernels::construct::spawn, kernels::construct::group};
constexpr std::array strategies = {loop::strategy::adaptive, loop::strategy::half, loop::strategy::guided,
                                   loop::strategy::eager};

}  // namespace

void add_options(CLI::App& command, loop::parameters& p) {
  add_word<kind>(command, "--kind", p.kind, kinds, "Which loop");
  add_word<loop::strategy>(command, "--strategy", p.strategy, strategies, "How the loop is split");
  add_word<kernels::construct>(
      command, "--construct", p.construct, constructs,
      "How the loop is called, by parallel_for, as a spawned loop before a barrier, or in a task group");
  add_number(command, "--scale", p.scale, "Factor for the number of iterations; 10: the thesis's loops in full");
  CLI::Option* const polls = command.add_flag("--polls", p.polls, "Iterations poll for steal requests; needs --clock");
  add_number(command, "--poll-us", p.poll_us, "Microseconds between two polls")->needs(polls);
  command.add_flag("--clock", p.clock,
                   "Iterations wait until the clock says that their time is over, instead of computing");
}

nlohmann::ordered_json to_json(const loop::parameters& p) {
  return {{"kind", name(p.kind)},
          {"strategy", name(p.strategy)},
          {"construct", kernels::name(p.construct)},
          {"scale", p.scale},
          {"clock", p.clock},
          {"polls", p.polls},
          {"poll_us", p.poll_us}};
}

std::string in_words(const loop::parameters& p) {
  std::string words = fmt::format("kind {}, strategy {}, construct {}, scale {}", name(p.kind), name(p.strategy),
                                  kernels::name(p.construct), p.scale);
  if (p.clock) words += ", by the clock";
  if (p.polls) words += fmt::format(", polls each {} us", p.poll_us);
  return words;
}

counted_run count_operations(const loop::parameters& p, const leat::options& options, result_check& check) {
  const loop::parameters small = p.smaller();
  loop::workload work(small);
  const auto iterations = static_cast<std::uint64_t>(work.iterations());
  const run_counters made =
      count(options, [&](kernels::counted_runtime& rt) { static_cast<void>(loop::parallel(rt, work, p)); });
  check.take("counted", work.take_count(), iterations);
  return {to_json(small), iterations, made};
}

}  // namespace leat::cli
