#include "kernels/recursive_sort.hpp"

#include "kernels/calls.hpp"
#include "kernels/on_leat.hpp"
#include "kernels/range.hpp"
#include "kernels/recursive_sort_tasks.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>

namespace leat::kernels::recursive_sort {

void parameters::validate() const { check_range("-n", n, 0, n_max); }

void parameters::prepare() const { static_cast<void>(arrays()); }

void parameters::before_run(unsigned) const { arrays().restore(); }

std::uint64_t parameters::after_run(std::uint64_t) const { return arrays().count_sorted(); }

parameters parameters::smaller() const {
  parameters p;
  p.method = method;
  p.n = std::min<std::int64_t>(n, 100'000);
  return p;
}

recursive_sort::arrays& parameters::arrays() const {
  if (!arrays_) arrays_ = std::make_shared<recursive_sort::arrays>(n);
  return *arrays_;
}

std::uint64_t serial(const parameters& p) {
  sort<calls>(p.arrays(), p.method);
  return p.expected();
}

std::uint64_t parallel(runtime& rt, const parameters& p) {
  rt.run([&] { sort<on_leat<platform::chosen>>(p.arrays(), p.method); });
  return p.expected();
}

std::uint64_t parallel(counted_runtime& rt, const parameters& p) {
  rt.run([&] { sort<on_leat<platform::counted>>(p.arrays(), p.method); });
  return p.expected();
}

}  // namespace leat::kernels::recursive_sort
