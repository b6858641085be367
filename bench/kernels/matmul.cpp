#include "kernels/matmul.hpp"

#include "kernels/calls.hpp"
#include "kernels/matmul_tasks.hpp"
#include "kernels/on_leat.hpp"
#include "kernels/range.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>

namespace leat::kernels::matmul {

void parameters::validate() const {
  check_range("-n", n, 1, n_max);
  check_divisor("--block", block, "-n", n);
}

void parameters::prepare() const { static_cast<void>(matrices()); }

void parameters::before_run(unsigned) const { matrices().clear(); }

std::uint64_t parameters::after_run(std::uint64_t) const { return matrices().count_right_rows(); }

parameters parameters::smaller() const {
  parameters p;
  p.block = block;
  p.n = block * std::min<std::int64_t>(n / block, 8);
  return p;
}

matmul::matrices& parameters::matrices() const {
  if (!matrices_) matrices_ = std::make_shared<matmul::matrices>(n, block);
  return *matrices_;
}

std::uint64_t serial(const parameters& p) {
  multiply<calls>(p.matrices());
  return p.expected();
}

std::uint64_t parallel(runtime& rt, const parameters& p) {
  rt.run([&] { multiply<on_leat<platform::chosen>>(p.matrices()); });
  return p.expected();
}

std::uint64_t parallel(counted_runtime& rt, const parameters& p) {
  rt.run([&] { multiply<on_leat<platform::counted>>(p.matrices()); });
  return p.expected();
}

}  // namespace leat::kernels::matmul
