#include "kernels/loop.hpp"

#include "kernels/range.hpp"

#include <leat/protocol/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace leat::kernels::loop {

namespace {

constexpr std::int64_t us_finest = 1;
constexpr std::int64_t us_coarsest = 10'000;

constexpr std::uint64_t uniform_steps = 3;
constexpr std::uint64_t ramp_steps = 48;  // of the last iteration

double iterations_at_scale_1(kind k) noexcept {
  switch (k) {
    case kind::FG: return 1e6;
    case kind::CG: return 96;
    case kind::RG: return 1000;
    case kind::IG:
    case kind::DG: return 200;
    case kind::uniform:
    case kind::ramp: return 1e7;
  }
  return 0;
}

// From `first` steps in iteration 0 to `last` steps in the last one.
std::pair<std::uint64_t, std::uint64_t> between(std::uint64_t first, std::uint64_t last,
                                                std::int64_t iterations) noexcept {
  constexpr int fraction_bits = 32;
  const std::int64_t intervals = std::max<std::int64_t>(iterations, 2) - 1;
  const std::int64_t rise = (static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first)) << fraction_bits;
  return {first << fraction_bits, static_cast<std::uint64_t>(rise / intervals)};
}

}  // namespace

std::string_view name(kind k) noexcept {
  switch (k) {
    case kind::FG: return "FG";
    case kind::CG: return "CG";
    case kind::RG: return "RG";
    case kind::IG: return "IG";
    case kind::DG: return "DG";
    case kind::uniform: return "uniform";
    case kind::ramp: return "ramp";
  }
  return "unknown";
}

std::string_view name(strategy s) noexcept {
  switch (s) {
    case strategy::adaptive: return "adaptive";
    case strategy::half: return "half";
    case strategy::guided: return "guided";
    case strategy::eager: return "eager";
  }
  return "unknown";
}

void parameters::validate() const {
  check_range("--scale", scale, scale_min, scale_max);
  check_range("--poll-us", poll_us, 1, us_max);
  if (polls && !clock)
    throw std::invalid_argument("--polls: iterations poll while they wait by the clock; takes --clock");
  if (polls && strategy == strategy::eager)
    throw std::invalid_argument("--strategy = 'eager': with --polls it must be adaptive, half or guided");
  if (construct == construct::future) {
    throw std::invalid_argument("--construct = '" + std::string(kernels::name(construct)) +
                                "': must be fork, spawn or group");
  }
  if (construct != construct::fork && strategy == strategy::eager) {
    throw std::invalid_argument("--strategy = 'eager': with --construct " + std::string(kernels::name(construct)) +
                                " it must be adaptive, half or guided");
  }
  if (clock && (kind == kind::uniform || kind == kind::ramp)) {
    throw std::invalid_argument(
        "--kind = '" + std::string(name(kind)) +
        "': with --clock it must be one of FG, CG, RG, IG, DG; an iteration takes less than the clock");
  }
}

std::int64_t parameters::iterations() const noexcept {
  return std::max<std::int64_t>(1, std::llround(iterations_at_scale_1(kind) * scale));
}

parameters parameters::smaller() const noexcept {
  parameters p = *this;
  p.scale = std::min(scale, 0.1);
  return p;
}

std::uint64_t drawn_us(std::int64_t i) noexcept {
  // In the proportions of the thesis.
  constexpr std::array<std::uint16_t, 15> grains = {1, 1, 1, 1, 1, 10, 10, 10, 10, 100, 100, 100, 1000, 1000, 10'000};
  return grains[protocol::random(static_cast<std::uint64_t>(i)).below(grains.size())];
}

workload::workload(const parameters& p, double ns_per_step)
    : kind_(p.kind),
      clock_(p.clock),
      ns_per_step_(p.clock ? 1 : ns_per_step),
      ran_(static_cast<std::size_t>(p.iterations())) {}

std::pair<std::uint64_t, std::uint64_t> workload::line_of_kind() const noexcept {
  const std::uint64_t finest = busy_loop::steps_of(us_finest, ns_per_step_);
  const std::uint64_t coarsest = busy_loop::steps_of(us_coarsest, ns_per_step_);
  switch (kind_) {
    case kind::CG: return between(coarsest, coarsest, iterations());
    case kind::IG: return between(finest, coarsest, iterations());
    case kind::DG: return between(coarsest, finest, iterations());
    case kind::uniform: return between(uniform_steps, uniform_steps, iterations());
    case kind::ramp: return between(0, ramp_steps, iterations());
    default: return between(finest, finest, iterations());
  }
}

std::uint64_t workload::take_count() {
  const auto once = std::ranges::count(ran_, 1);
  std::ranges::fill(ran_, 0);
  return static_cast<std::uint64_t>(once);
}

double serial(workload& w) {
  return w.time([](std::int64_t iterations, auto body) {
    for (std::int64_t i = 0; i < iterations; ++i) body(i);
  });
}

}  // namespace leat::kernels::loop
