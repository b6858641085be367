#include "kernels/treerec.hpp"

#include "kernels/busy_loop.hpp"
#include "kernels/fib.hpp"
#include "kernels/range.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/task/fork_join.hpp>
#include <leat/task/future.hpp>
#include <leat/task/task_group.hpp>

#include <stdexcept>

namespace leat::kernels::treerec {

namespace {

std::uint64_t leaf(const busy_loop& work) {
  work();
  return 1;
}

std::uint64_t called(int n, const busy_loop& work) {
  if (n < 2) return leaf(work);
  return called(n - 1, work) + called(n - 2, work);
}

// Both forms: with a context and without.
template <class P, class... Context>
std::uint64_t forked(Context... c, int n, const busy_loop& work) {
  if (n < 2) return leaf(work);
  auto [a, b] = task::fork_join<P>(
      c..., [n, &work](Context... inner) { return forked<P, Context...>(inner..., n - 1, work); },
      [n, &work](Context... inner) { return forked<P, Context...>(inner..., n - 2, work); });
  return a + b;
}

template <class P>
std::uint64_t with_futures(int n, const busy_loop& work, leat::wait how) {
  if (n < 2) return leaf(work);
  auto split_off = task::async<P>([n, &work, how] { return with_futures<P>(n - 1, work, how); });
  const std::uint64_t here = with_futures<P>(n - 2, work, how);
  return here + split_off.get(how);
}

template <class P>
std::uint64_t with_groups(int n, const busy_loop& work, leat::wait how) {
  if (n < 2) return leaf(work);
  std::uint64_t split_off = 0;
  task::task_group<P> group;
  group.spawn([n, &work, &split_off, how] { split_off = with_groups<P>(n - 1, work, how); });
  const std::uint64_t here = with_groups<P>(n - 2, work, how);
  group.wait(how);
  return here + split_off;
}

template <class P, class Runtime>
std::uint64_t run(Runtime& rt, const parameters& p) {
  const int n = static_cast<int>(p.n);
  const busy_loop work(p.us, p.clock);
  return rt.run([&]() -> std::uint64_t {
    if (p.construct == construct::future) return with_futures<P>(n, work, as_said(p.wait));
    if (p.construct == construct::group) return with_groups<P>(n, work, as_said(p.wait));
    if (p.form == form::plain) return forked<P>(n, work);
    return task::with_context<P>([&](task::context<P> c) { return forked<P, task::context<P>>(c, n, work); });
  });
}

}  // namespace

void parameters::validate() const {
  check_range("-n", n, 0, n_max);
  check_range("--us", us, 0, us_max);
  if (construct == construct::spawn) {
    throw std::invalid_argument("--construct = 'spawn': must be fork, future or group; a parent waits for its child");
  }
  check_wait(wait, construct);
}

void parameters::prepare() const {
  if (us != 0 && !clock) busy_loop::calibrate();
}

std::uint64_t parameters::forks() const noexcept { return fib::number(n + 1) - 1; }

std::uint64_t parameters::expected() const noexcept { return fib::number(n + 1); }

parameters parameters::smaller() const noexcept {
  constexpr std::uint64_t leaves_max = 2'500'000;
  constexpr std::uint64_t us_together_max = 1'000'000;
  parameters p = *this;
  while (p.n > 1 && (p.expected() > leaves_max || p.expected() * static_cast<std::uint64_t>(us) > us_together_max)) {
    --p.n;
  }
  return p;
}

std::uint64_t serial(const parameters& p) { return called(static_cast<int>(p.n), busy_loop(p.us, p.clock)); }

std::uint64_t parallel(runtime& rt, const parameters& p) { return run<platform::chosen>(rt, p); }

std::uint64_t parallel(counted_runtime& rt, const parameters& p) { return run<platform::counted>(rt, p); }

}  // namespace leat::kernels::treerec
