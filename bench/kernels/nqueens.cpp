#include "kernels/nqueens.hpp"

#include "kernels/nqueens_board.hpp"
#include "kernels/range.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/task/fork_join.hpp>
#include <leat/task/task_group.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace leat::kernels::nqueens {

namespace {

// Solutions for n = 0, 1, 2 ...
constexpr std::array<std::uint64_t, parameters::n_max + 1> known = {
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624,
};

std::uint64_t called(const board& b) {
  if (b.full()) return 1;
  std::uint64_t found = 0;
  for (int column = b.next_free(0); column < b.size; column = b.next_free(column + 1)) found += called(b.with(column));
  return found;
}

// The solutions with the next queen in `column` or further on. Both forms: with a context and without.
template <class P, class... Context>
std::uint64_t forked(Context... c, const board& b, int column) {
  if (b.full()) return 1;
  column = b.next_free(column);
  if (column == b.size) return 0;
  auto [here, further] = task::fork_join<P>(
      c..., [&b, column](Context... inner) { return forked<P, Context...>(inner..., b.with(column), 0); },
      [&b, column](Context... inner) { return forked<P, Context...>(inner..., b, column + 1); });
  return here + further;
}

template <class P>
std::uint64_t with_groups(const board& b, leat::wait how) {
  if (b.full()) return 1;
  std::array<std::uint64_t, parameters::n_max> found{};
  task::task_group<P> group;
  for (int column = b.next_free(0); column < b.size; column = b.next_free(column + 1)) {
    std::uint64_t& here = found[static_cast<std::size_t>(column)];
    group.spawn([&b, &here, column, how] { here = with_groups<P>(b.with(column), how); });
  }
  group.wait(how);
  std::uint64_t sum = 0;
  for (int column = 0; column < b.size; ++column) sum += found[static_cast<std::size_t>(column)];
  return sum;
}

board empty(const parameters& p) {
  board b;
  b.size = static_cast<int>(p.n);
  b.look_ns = static_cast<std::uint16_t>(p.look_ns);
  return b;
}

template <class P, class Runtime>
std::uint64_t run(Runtime& rt, const parameters& p) {
  const board b = empty(p);
  return rt.run([&]() -> std::uint64_t {
    if (p.construct == construct::group) return with_groups<P>(b, as_said(p.wait));
    if (p.form == form::plain) return forked<P>(b, 0);
    return task::with_context<P>([&](task::context<P> c) { return forked<P, task::context<P>>(c, b, 0); });
  });
}

// Bits are columns: all of the board, those taken, and those that the two kinds of diagonals reach in this row.
void place(std::uint32_t all, std::uint32_t taken, std::uint32_t rising, std::uint32_t falling, findings& found) {
  if (taken == all) {
    ++found.solutions;
    return;
  }
  for (std::uint32_t open = all & ~(taken | rising | falling); open != 0; open &= open - 1) {
    const std::uint32_t queen = open & (~open + 1);
    ++found.placements;
    place(all, taken | queen, (rising | queen) << 1, (falling | queen) >> 1, found);
  }
}

}  // namespace

void parameters::validate() const {
  check_range("-n", n, 1, n_max);
  check_range("--look-ns", look_ns, 0, look_ns_max);
  if (construct != construct::fork && construct != construct::group) {
    throw std::invalid_argument("--construct = '" + std::string(name(construct)) + "': must be fork or group");
  }
  check_wait(wait, construct);
}

std::uint64_t parameters::forks() const { return count(n).placements; }

std::uint64_t parameters::expected() const noexcept { return known[static_cast<std::size_t>(n)]; }

parameters parameters::smaller() const noexcept {
  parameters p = *this;
  p.n = std::min<std::int64_t>(n, 12);
  return p;
}

findings count(std::int64_t n) noexcept {
  findings found;
  place((std::uint32_t{1} << n) - 1, 0, 0, 0, found);
  return found;
}

std::uint64_t serial(const parameters& p) { return called(empty(p)); }

std::uint64_t parallel(runtime& rt, const parameters& p) { return run<platform::chosen>(rt, p); }

std::uint64_t parallel(counted_runtime& rt, const parameters& p) { return run<platform::counted>(rt, p); }

}  // namespace leat::kernels::nqueens
