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
constexpr std::array strategies = {loop::strategy::adaptive, loop::strategy::half, loop::strategy::guided,
                                   loop::strategy::eager};

}  // namespace

void add_options(CLI::App& command, loop::parameters& p) {
  add_word<kind>(command, "--kind", p.kind, kinds, "Which loop");
  add_word<loop::strategy>(command, "--strategy", p.strategy, strategies, "How the loop is split");
  add_number(command, "--scale", p.scale, "Times as many iterations; 10: the thesis's loops in full");
  command.add_flag("--clock", p.clock,
                   "Iterations wait until the clock says that their time is over, in place of computing");
}

nlohmann::ordered_json to_json(const loop::parameters& p) {
  return {{"kind", name(p.kind)}, {"strategy", name(p.strategy)}, {"scale", p.scale}, {"clock", p.clock}};
}

std::string in_words(const loop::parameters& p) {
  return fmt::format("kind {}, strategy {}, scale {}{}", name(p.kind), name(p.strategy), p.scale,
                     p.clock ? ", by the clock" : "");
}

counted_run count_operations(const loop::parameters& p, const leat::options& options, result_check& check) {
  const loop::parameters small = p.smaller();
  loop::workload work(small);
  const auto iterations = static_cast<std::uint64_t>(work.iterations());
  const run_counters made =
      count(options, [&](kernels::counted_runtime& rt) { static_cast<void>(loop::parallel(rt, work, p.strategy)); });
  check.take("counted", work.take_count(), iterations);
  return {to_json(small), iterations, made};
}

}  // namespace leat::cli
