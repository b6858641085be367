#include "kernels/lu.hpp"

#include "kernels/calls.hpp"
#include "kernels/lu_tasks.hpp"
#include "kernels/on_leat.hpp"
#include "kernels/on_leat_graphs.hpp"
#include "kernels/range.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/task/spawn.hpp>

#include <algorithm>

namespace leat::kernels::lu {

void parameters::validate() const {
  check_range("-n", n, 1, n_max);
  check_divisor("--block", block, "-n", n);
}

void parameters::prepare() const { static_cast<void>(decomposition()); }

void parameters::before_run(unsigned) const { decomposition().restore(); }

std::uint64_t parameters::after_run(std::uint64_t) const { return decomposition().digest(); }

std::uint64_t parameters::forks() const {
  const lu::decomposition& d = decomposition();
  return d.tasks() + (construct == construct::group ? 0 : d.blocks());
}

std::uint64_t parameters::expected() const { return decomposition().digest_of_serial(); }

parameters parameters::smaller() const {
  parameters p;
  p.block = block;
  p.construct = construct;
  p.polls = polls;
  p.n = block * std::min<std::int64_t>(n / block, 8);
  return p;
}

lu::decomposition& parameters::decomposition() const {
  if (!decomposition_) decomposition_ = std::make_shared<lu::decomposition>(n, block);
  return *decomposition_;
}

namespace {

template <class P, class Runtime>
std::uint64_t decompose_in_parallel(Runtime& rt, const parameters& p) {
  p.decomposition().poll_by(p.polls ? &task::poll<P> : nullptr);
  rt.run([&] {
    switch (p.construct) {
      case construct::future: return decompose_by_dataflow<on_leat<P>>(p.decomposition());
      case construct::graph: return decompose_by_dataflow<on_leat_graph<P>>(p.decomposition());
      case construct::after: return decompose_by_dataflow<on_leat_after<P>>(p.decomposition());
      default: return decompose<on_leat<P>>(p.decomposition());
    }
  });
  return 0;
}

}  // namespace

std::uint64_t serial(const parameters& p) {
  p.decomposition().poll_by(nullptr);
  decompose<calls>(p.decomposition());
  return 0;
}

std::uint64_t parallel(runtime& rt, const parameters& p) { return decompose_in_parallel<platform::chosen>(rt, p); }

std::uint64_t parallel(counted_runtime& rt, const parameters& p) {
  return decompose_in_parallel<platform::counted>(rt, p);
}

}  // namespace leat::kernels::lu
