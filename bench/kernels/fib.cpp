#include "kernels/fib.hpp"

#include "kernels/fib_recursion.hpp"
#include "kernels/range.hpp"

#include <algorithm>

namespace leat::kernels::fib {

namespace {

std::uint64_t inlined(int n) {
  platform::chosen::work_ns(recursion<platform::chosen>::call_ns);
  if (n < 2) return static_cast<std::uint64_t>(n);
  return inlined(n - 1) + inlined(n - 2);
}

}  // namespace

std::uint64_t number(std::int64_t n) noexcept {
  std::uint64_t current = 0;
  std::uint64_t next = 1;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t sum = current + next;
    current = next;
    next = sum;
  }
  return current;
}

void parameters::validate() const { check_range("-n", n, 0, n_max); }

std::uint64_t parameters::forks() const noexcept { return number(n + 1) - 1; }

std::uint64_t parameters::expected() const noexcept { return number(n); }

parameters parameters::smaller() const noexcept {
  parameters p = *this;
  p.n = std::min<std::int64_t>(n, 32);
  return p;
}

std::uint64_t serial(const parameters& p) { return inlined(static_cast<int>(p.n)); }

std::uint64_t parallel(runtime& rt, const parameters& p) {
  return p.form == form::plain ? parallel_plain(rt, p.n) : parallel_in_context(rt, static_cast<int>(p.n));
}

}  // namespace leat::kernels::fib
