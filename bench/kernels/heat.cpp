#include "kernels/heat.hpp"

#include "kernels/calls.hpp"
#include "kernels/heat_tasks.hpp"
#include "kernels/on_leat.hpp"
#include "kernels/range.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>

namespace leat::kernels::heat {

void parameters::validate() const {
  check_range("-n", n, 1, n_max);
  check_range("--steps", steps, 0, steps_max);
  check_divisor("--band", band, "-n", n);
}

void parameters::prepare() const { static_cast<void>(plate()); }

void parameters::before_run(unsigned) const { plate().restore(); }

std::uint64_t parameters::after_run(std::uint64_t) const { return plate().digest(); }

std::uint64_t parameters::expected() const { return plate().digest_of_serial(); }

parameters parameters::smaller() const {
  parameters p;
  p.n = n;
  p.band = band;
  p.steps = std::min<std::int64_t>(steps, 20);
  return p;
}

heat::plate& parameters::plate() const {
  if (!plate_) plate_ = std::make_shared<heat::plate>(*this);
  return *plate_;
}

std::uint64_t serial(const parameters& p) {
  relax<calls>(p.plate());
  return 0;
}

std::uint64_t parallel(runtime& rt, const parameters& p) {
  rt.run([&] { relax<on_leat<platform::chosen>>(p.plate()); });
  return 0;
}

std::uint64_t parallel(counted_runtime& rt, const parameters& p) {
  rt.run([&] { relax<on_leat<platform::counted>>(p.plate()); });
  return 0;
}

}  // namespace leat::kernels::heat
