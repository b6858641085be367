#include "kernels/loop.hpp"

#include "kernels/range.hpp"

#include <leat/protocol/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>

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
linear_body between(std::uint64_t first, std::uint64_t last, std::vector<std::uint16_t>& ran) noexcept {
  constexpr int fraction_bits = 32;
  const auto intervals = static_cast<std::int64_t>(std::max<std::size_t>(ran.size(), 2)) - 1;
  const std::int64_t rise = (static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first)) << fraction_bits;
  return {first << fraction_bits, static_cast<std::uint64_t>(rise / intervals), ran.data()};
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
  }
  return "unknown";
}

void parameters::validate() const { check_range("--scale", scale, scale_min, scale_max); }

std::int64_t parameters::iterations() const noexcept {
  return std::max<std::int64_t>(1, std::llround(iterations_at_scale_1(kind) * scale));
}

parameters parameters::smaller() const noexcept {
  parameters p = *this;
  p.scale = std::min(scale, 0.1);
  return p;
}

std::uint64_t drawn_body::steps(std::int64_t i) const noexcept {
  // Microseconds, in the proportions of the thesis.
  constexpr std::array<std::uint16_t, 15> grains = {1, 1, 1, 1, 1, 10, 10, 10, 10, 100, 100, 100, 1000, 1000, 10'000};
  return grains[protocol::random(static_cast<std::uint64_t>(i)).below(grains.size())] * steps_per_us;
}

workload::workload(const parameters& p, double ns_per_step)
    : kind_(p.kind), ns_per_step_(ns_per_step), ran_(static_cast<std::size_t>(p.iterations())) {}

linear_body workload::linear_body_of_kind() noexcept {
  const std::uint64_t finest = busy_loop::steps_of(us_finest, ns_per_step_);
  const std::uint64_t coarsest = busy_loop::steps_of(us_coarsest, ns_per_step_);
  switch (kind_) {
    case kind::CG: return between(coarsest, coarsest, ran_);
    case kind::IG: return between(finest, coarsest, ran_);
    case kind::DG: return between(coarsest, finest, ran_);
    case kind::uniform: return between(uniform_steps, uniform_steps, ran_);
    case kind::ramp: return between(0, ramp_steps, ran_);
    default: return between(finest, finest, ran_);
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
