#include "kernels/graphs.hpp"

#include "kernels/calls.hpp"
#include "kernels/on_leat.hpp"
#include "kernels/on_leat_graphs.hpp"
#include "kernels/range.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace leat::kernels::graphs {

template <shape Shape>
void parameters<Shape>::validate() const {
  check_range("-n", n, 1, n_max);
  check_range("--ns", ns, 0, ns_max);
}

template <shape Shape>
void parameters<Shape>::prepare() const {
  static_cast<void>(cells());
  static_cast<void>(steps());
}

template <shape Shape>
void parameters<Shape>::before_run(unsigned) const {
  cells().restore();
}

template <shape Shape>
std::uint64_t parameters<Shape>::after_run(std::uint64_t) const {
  return cells().digest();
}

template <shape Shape>
std::uint64_t parameters<Shape>::forks() const noexcept {
  return static_cast<std::uint64_t>(Shape == shape::wavefront ? n * n : n);
}

template <shape Shape>
std::uint64_t parameters<Shape>::expected() const {
  return cells().digest_of_serial();
}

template <shape Shape>
parameters<Shape> parameters<Shape>::smaller() const {
  constexpr std::int64_t most = Shape == shape::wavefront ? 200 : 40'000;
  parameters p;
  p.n = std::min(n, most);
  p.ns = std::min<std::int64_t>(ns, 10'000);
  p.construct = construct;
  return p;
}

template <shape Shape>
graph_cells& parameters<Shape>::cells() const {
  if (!cells_) {
    cells_ =
        std::make_shared<graph_cells>(Shape == shape::wavefront ? graph_cells::wavefront(n) : graph_cells::drawn(n));
  }
  return *cells_;
}

template <shape Shape>
std::uint64_t parameters<Shape>::steps() const {
  return ns == 0 ? 0 : graph_cells::steps_of(ns, busy_loop::ns_per_step());
}

template struct parameters<shape::wavefront>;
template struct parameters<shape::drawn>;

namespace {

template <class Parameters>
std::uint64_t computed_serially(const Parameters& p) {
  compute<calls>(p.cells(), p.steps());
  return 0;
}

template <class P, class Runtime, class Parameters>
std::uint64_t computed_in_parallel(Runtime& rt, const Parameters& p) {
  rt.run([&] {
    switch (p.construct) {
      case construct::after: return compute<on_leat_after<P>>(p.cells(), p.steps());
      case construct::future: return compute<on_leat<P>>(p.cells(), p.steps());
      default: return compute<on_leat_graph<P>>(p.cells(), p.steps());
    }
  });
  return 0;
}

}  // namespace

std::uint64_t serial(const wavefront& p) { return computed_serially(p); }
std::uint64_t serial(const dag& p) { return computed_serially(p); }

std::uint64_t parallel(runtime& rt, const wavefront& p) { return computed_in_parallel<platform::chosen>(rt, p); }
std::uint64_t parallel(runtime& rt, const dag& p) { return computed_in_parallel<platform::chosen>(rt, p); }

std::uint64_t parallel(counted_runtime& rt, const wavefront& p) {
  return computed_in_parallel<platform::counted>(rt, p);
}
std::uint64_t parallel(counted_runtime& rt, const dag& p) { return computed_in_parallel<platform::counted>(rt, p); }

}  // namespace leat::kernels::graphs
