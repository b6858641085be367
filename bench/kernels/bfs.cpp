#include "kernels/bfs.hpp"

#include "kernels/bfs_tasks.hpp"
#include "kernels/on_leat.hpp"
#include "kernels/range.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>

namespace leat::kernels::bfs {

void parameters::validate() const {
  check_range("--scale", scale, 0, scale_max);
  check_range("--degree", degree, 0, degree_max);
  check_range("--grain", grain, 1, grain_max);
}

void parameters::prepare() const { static_cast<void>(search()); }

void parameters::before_run(unsigned) const { search().restore(); }

std::uint64_t parameters::after_run(std::uint64_t) const { return search().count_right(); }

parameters parameters::smaller() const {
  parameters p;
  p.kind = kind;
  p.scale = std::min<std::int64_t>(scale, 14);
  p.degree = degree;
  p.grain = grain;
  return p;
}

bfs::search& parameters::search() const {
  if (!search_) search_ = std::make_shared<bfs::search>(*this);
  return *search_;
}

std::uint64_t serial(const parameters& p) {
  p.search().run_serially();
  return p.expected();
}

std::uint64_t parallel(runtime& rt, const parameters& p) {
  rt.run([&] { run<on_leat<platform::chosen>>(p.search()); });
  return p.expected();
}

std::uint64_t parallel(counted_runtime& rt, const parameters& p) {
  rt.run([&] { run<on_leat<platform::counted>>(p.search()); });
  return p.expected();
}

}  // namespace leat::kernels::bfs
