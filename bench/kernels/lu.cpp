#include "kernels/lu.hpp"

#include "kernels/calls.hpp"
#include "kernels/lu_tasks.hpp"
#include "kernels/on_leat.hpp"
#include "kernels/range.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>

namespace leat::kernels::lu {

void parameters::validate() const {
  check_range("-n", n, 1, n_max);
  check_divisor("--block", block, "-n", n);
}

void parameters::prepare() const { static_cast<void>(decomposition()); }

void parameters::before_run(unsigned) const { decomposition().restore(); }

std::uint64_t parameters::after_run(std::uint64_t) const { return decomposition().digest(); }

std::uint64_t parameters::forks() const { return decomposition().tasks(); }

std::uint64_t parameters::expected() const { return decomposition().digest_of_serial(); }

parameters parameters::smaller() const {
  parameters p;
  p.block = block;
  p.n = block * std::min<std::int64_t>(n / block, 8);
  return p;
}

lu::decomposition& parameters::decomposition() const {
  if (!decomposition_) decomposition_ = std::make_shared<lu::decomposition>(n, block);
  return *decomposition_;
}

std::uint64_t serial(const parameters& p) {
  decompose<calls>(p.decomposition());
  return 0;
}

std::uint64_t parallel(runtime& rt, const parameters& p) {
  rt.run([&] { decompose<on_leat<platform::chosen>>(p.decomposition()); });
  return 0;
}

std::uint64_t parallel(counted_runtime& rt, const parameters& p) {
  rt.run([&] { decompose<on_leat<platform::counted>>(p.decomposition()); });
  return 0;
}

}  // namespace leat::kernels::lu
