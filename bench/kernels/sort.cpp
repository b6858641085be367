#include "kernels/sort.hpp"

#include "kernels/range.hpp"
#include "kernels/sort_arrays.hpp"

#include <leat/loop/sort.hpp>
#include <leat/loop/sort_stable.hpp>
#include <leat/platform/chosen.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <variant>

#if defined(LEAT_BENCH_TBB)
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#endif

namespace leat::kernels::sort {

class arrays {
 public:
  explicit arrays(const parameters& p) {
    switch (p.kind) {
      case element::ints: of_kind.emplace<drawn_array<std::int32_t>>(p.n); break;
      case element::floats: of_kind.emplace<drawn_array<double>>(p.n); break;
      case element::strings: of_kind.emplace<drawn_array<std::string>>(p.n); break;
    }
  }

  std::variant<drawn_array<std::int32_t>, drawn_array<double>, drawn_array<std::string>> of_kind;
  unsigned workers = 1;
};

namespace {

// Calls f with the array that is to be sorted. Returns how many elements it has.
template <class F>
std::uint64_t sort_array(const parameters& p, const F& f) {
  return std::visit(
      [&](auto& array) {
        f(array.sorted);
        return array.sorted.size();
      },
      p.arrays().of_kind);
}

template <class P, class Runtime>
std::uint64_t sort_in_parallel(Runtime& rt, const parameters& p) {
  return sort_array(p, [&](auto& array) {
    rt.run([&] {
      const std::less<> less;
      if (p.stable) loop::parallel_stable_sort<P>(array.begin(), array.end(), less);
      else loop::parallel_sort<P>(array.begin(), array.end(), less);
    });
  });
}

}  // namespace

void parameters::validate() const { check_range("-n", n, 0, n_max); }

void parameters::prepare() const { arrays(); }

sort::arrays& parameters::arrays() const {
  if (!arrays_) arrays_ = std::make_shared<sort::arrays>(*this);
  return *arrays_;
}

void parameters::before_run(unsigned workers) const {
  arrays().workers = workers;
  std::visit([](auto& array) { array.restore(); }, arrays().of_kind);
}

std::uint64_t parameters::after_run(std::uint64_t) const {
  return std::visit([](const auto& array) { return array.count_sorted(); }, arrays().of_kind);
}

parameters parameters::smaller() const {
  parameters p;
  p.kind = kind;
  p.stable = stable;
  p.n = std::min<std::int64_t>(n, 100'000);
  return p;
}

std::uint64_t serial(const parameters& p) {
  return sort_array(p, [&](auto& array) {
    if (p.stable) std::stable_sort(array.begin(), array.end());
    else std::sort(array.begin(), array.end());
  });
}

#if defined(LEAT_BENCH_TBB)

bool parameters::has_tbb() const noexcept { return !stable; }

std::uint64_t tbb(const parameters& p) {
  const ::tbb::global_control limit(::tbb::global_control::max_allowed_parallelism, p.arrays().workers);
  return sort_array(p, [](auto& array) { ::tbb::parallel_sort(array.begin(), array.end()); });
}

#else

bool parameters::has_tbb() const noexcept { return false; }

std::uint64_t tbb(const parameters&) { return 0; }

#endif

std::uint64_t parallel(runtime& rt, const parameters& p) { return sort_in_parallel<platform::chosen>(rt, p); }

std::uint64_t parallel(counted_runtime& rt, const parameters& p) { return sort_in_parallel<platform::counted>(rt, p); }

}  // namespace leat::kernels::sort
