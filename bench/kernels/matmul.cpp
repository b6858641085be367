#include "kernels/matmul.hpp"

#include "kernels/calls.hpp"
#include "kernels/matmul_tasks.hpp"
#include "kernels/on_leat.hpp"
#include "kernels/range.hpp"

#include <leat/loop/spawned.hpp>
#include <leat/platform/chosen.hpp>
#include <leat/task/spawn.hpp>
#include <leat/task/task_group.hpp>

#include <algorithm>

namespace leat::kernels::matmul {

void parameters::validate() const {
  check_range("-n", n, 1, n_max);
  check_range("--inner", inner, 0, n_max);
  check_divisor("--block", block, "-n", n);
  if (inner != 0) check_divisor("--block", block, "--inner", inner);
}

void parameters::prepare() const { static_cast<void>(matrices()); }

void parameters::before_run(unsigned) const { matrices().clear(); }

std::uint64_t parameters::after_run(std::uint64_t) const { return matrices().count_right_rows(); }

parameters parameters::smaller() const {
  parameters p = *this;
  p.matrices_.reset();
  p.inner = block * std::min<std::int64_t>(columns() / block, 8);
  p.n = block * std::min<std::int64_t>(n / block, 8);
  return p;
}

matmul::matrices& parameters::matrices() const {
  if (!matrices_) matrices_ = std::make_shared<matmul::matrices>(n, columns(), block);
  return *matrices_;
}

namespace {

// A loop over all blocks of the product, in place of a task for each.
template <class P>
void multiply_in_loops(matrices& m) {
  for (std::size_t k = 0; k < m.inner_blocks(); ++k) {
    task::task_group<P> group;
    const std::size_t blocks = m.blocks();
    const auto one = [&m, k, blocks](std::size_t at) { m.multiply(at / blocks, at % blocks, k); };
    leat::loop::spawn_block<P>(&group, leat::block<std::size_t>(0, blocks * blocks), one, leat::loop::options<P>{});
    group.wait();
  }
}

template <class P, class Runtime>
std::uint64_t multiply_in_parallel(Runtime& rt, const parameters& p) {
  matmul::matrices& m = p.matrices();
  m.poll_by(p.polls ? &task::poll<P> : nullptr);
  rt.run([&] {
    if (p.splittable) multiply_in_loops<P>(m);
    else multiply<on_leat<P>>(m);
  });
  return p.expected();
}

}  // namespace

std::uint64_t serial(const parameters& p) {
  p.matrices().poll_by(nullptr);
  multiply<calls>(p.matrices());
  return p.expected();
}

std::uint64_t parallel(runtime& rt, const parameters& p) { return multiply_in_parallel<platform::chosen>(rt, p); }

std::uint64_t parallel(counted_runtime& rt, const parameters& p) {
  return multiply_in_parallel<platform::counted>(rt, p);
}

}  // namespace leat::kernels::matmul
