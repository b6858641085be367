#include "kernels/sort.hpp"

#include "kernels/range.hpp"

#include <leat/loop/sort.hpp>
#include <leat/loop/sort_stable.hpp>
#include <leat/platform/chosen.hpp>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if defined(LEAT_BENCH_TBB)
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#endif

namespace leat::kernels::sort {

namespace {

template <class T>
struct array_pair {
  std::vector<T> drawn;
  std::vector<T> sorted;  // or about to be
};

using random = std::mt19937_64;

template <class T>
T draw(random& source) {
  if constexpr (std::is_same_v<T, std::string>) {
    std::string made(8 + source() % 24, '\0');
    for (char& letter : made) letter = static_cast<char>('a' + source() % 26);
    return made;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::uniform_real_distribution<T>()(source);
  } else {
    return static_cast<T>(source());
  }
}

template <class T>
array_pair<T> draw_all(std::int64_t n) {
  array_pair<T> made;
  random source(1);
  made.drawn.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) made.drawn.push_back(draw<T>(source));
  made.sorted = made.drawn;
  return made;
}

// A number that does not depend on the order.
template <class T>
std::size_t digest(const std::vector<T>& elements) {
  std::size_t sum = 0;
  for (const T& e : elements) sum += std::hash<T>()(e);
  return sum;
}

}  // namespace

class arrays {
 public:
  explicit arrays(const parameters& p) {
    switch (p.kind) {
      case element::ints: elements = draw_all<std::int32_t>(p.n); break;
      case element::floats: elements = draw_all<double>(p.n); break;
      case element::strings: elements = draw_all<std::string>(p.n); break;
    }
  }

  std::variant<array_pair<std::int32_t>, array_pair<double>, array_pair<std::string>> elements;
  unsigned workers = 1;
};

namespace {

// Calls f with the array that is to be sorted. Returns how many elements it has.
template <class F>
std::uint64_t sort_array(const parameters& p, const F& f) {
  return std::visit(
      [&](auto& arrays) {
        f(arrays.sorted);
        return arrays.sorted.size();
      },
      p.arrays().elements);
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

std::string_view name(element e) noexcept {
  switch (e) {
    case element::ints: return "ints";
    case element::floats: return "floats";
    case element::strings: return "strings";
  }
  return {};
}

void parameters::validate() const { check_range("-n", n, 0, n_max); }

void parameters::prepare() const { arrays(); }

sort::arrays& parameters::arrays() const {
  if (!arrays_) arrays_ = std::make_shared<sort::arrays>(*this);
  return *arrays_;
}

void parameters::before_run(unsigned workers) const {
  arrays().workers = workers;
  std::visit([](auto& a) { a.sorted = a.drawn; }, arrays().elements);
}

std::uint64_t parameters::after_run(std::uint64_t) const {
  return std::visit(
      [](const auto& a) -> std::uint64_t {
        if (digest(a.sorted) != digest(a.drawn)) return 0;
        return static_cast<std::uint64_t>(std::is_sorted_until(a.sorted.begin(), a.sorted.end()) - a.sorted.begin());
      },
      arrays().elements);
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
