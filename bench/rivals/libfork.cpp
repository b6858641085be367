// libfork's coroutines. They are handed to each other, so that its programs are written for it; its workers are those of
// its lazy pool, which sleep where there is nothing to do.

#include "inputs.hpp"

#include "kernels/busy_loop.hpp"

#include <libfork/core.hpp>
#include <libfork/schedule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>

namespace {

using leat::kernels::busy_loop;
using leat::kernels::nqueens::board;
using leat::kernels::uts::child_hash;
using leat::kernels::uts::state;
using leat::kernels::uts::tree;
using number = std::uint64_t;

constexpr auto fib = [](auto self, int n) LF_STATIC_CALL -> lf::task<number> {
  if (n < 2) co_return static_cast<number>(n);
  number a = 0;
  number b = 0;
  co_await lf::fork(&a, self)(n - 1);
  co_await lf::call(&b, self)(n - 2);
  co_await lf::join;
  co_return a + b;
};

constexpr auto treerec = [](auto self, int n, number steps) LF_STATIC_CALL -> lf::task<number> {
  if (n < 2) {
    busy_loop::run(steps);
    co_return 1;
  }
  number a = 0;
  number b = 0;
  co_await lf::fork(&a, self)(n - 1, steps);
  co_await lf::call(&b, self)(n - 2, steps);
  co_await lf::join;
  co_return a + b;
};

constexpr auto queens = [](auto self, board b) LF_STATIC_CALL -> lf::task<number> {
  if (b.full()) co_return 1;
  std::array<number, leat::kernels::nqueens::parameters::n_max> found{};
  for (int column = b.next_free(0); column < b.size; column = b.next_free(column + 1)) {
    co_await lf::fork(&found[static_cast<std::size_t>(column)], self)(b.with(column));
  }
  co_await lf::join;
  co_return std::accumulate(found.begin(), found.end(), number{0});
};

constexpr auto visit = [](auto self, const tree* of, state node, std::uint32_t depth)
                           LF_STATIC_CALL -> lf::task<number> {
  const std::uint32_t children = of->children(node, depth);
  if (children == 0) co_return 1;
  auto [found] = co_await lf::co_new<number>(children);
  child_hash hash{node};
  for (std::uint32_t i = 0; i < children; ++i) co_await lf::fork(&found[i], self)(of, hash(i), depth + 1);
  co_await lf::join;
  co_return std::accumulate(found.begin(), found.end(), number{1});
};

constexpr auto consume = [](auto, number steps) LF_STATIC_CALL -> lf::task<number> {
  busy_loop::run(steps);
  co_return 1;
};

constexpr auto consume_all = [](auto, std::int64_t tasks, number steps) LF_STATIC_CALL -> lf::task<number> {
  auto [ran] = co_await lf::co_new<number>(static_cast<std::size_t>(tasks));
  for (number& one : ran) co_await lf::fork(&one, consume)(steps);
  co_await lf::join;
  co_return std::accumulate(ran.begin(), ran.end(), number{0});
};

// Makes the next producer, and then its consumers.
constexpr auto produce = [](auto self, std::int64_t left, std::int64_t consumers, number steps)
                             LF_STATIC_CALL -> lf::task<number> {
  number further = 0;
  number own = 0;
  if (left > 1) co_await lf::fork(&further, self)(left - 1, consumers, steps);
  co_await lf::call(&own, consume_all)(consumers, steps);
  co_await lf::join;
  co_return 1 + own + further;
};

template <class Body>
struct piece {
  Body body;
  std::int64_t iterations_max;
};

// libfork's for_each does so, too, but is not understood by every compiler that libfork's core is.
constexpr auto halve = []<class Body>(auto self, const piece<Body>* of, std::int64_t first, std::int64_t last)
                           LF_STATIC_CALL -> lf::task<void> {
  if (last - first <= of->iterations_max) {
    const Body body = of->body;
    for (std::int64_t i = first; i < last; ++i) body(i);
    co_return;
  }
  const std::int64_t middle = first + (last - first) / 2;
  co_await lf::fork(self)(of, first, middle);
  co_await lf::call(self)(of, middle, last);
  co_await lf::join;
};

leat::rivals::program loop(lf::lazy_pool& pool, const leat::rivals::parameters& p) {
  constexpr std::int64_t pieces_per_worker = 64;
  return [&pool, work = leat::rivals::loop_of(p), pieces = p.integer("workers") * pieces_per_worker] {
    leat::rivals::turn t;
    t.seconds = work->time([&](std::int64_t iterations, auto body) {
      const piece of{body, std::max<std::int64_t>(1, iterations / pieces)};
      lf::sync_wait(pool, halve, &of, std::int64_t{0}, iterations);
    });
    t.found = work->take_count();
    return t;
  };
}

leat::rivals::program make(std::string_view kernel, const leat::rivals::parameters& p) {
  static lf::lazy_pool pool(static_cast<std::size_t>(p.integer("workers")));
  const auto timed = [](auto... call) -> leat::rivals::program {
    return [=] { return leat::rivals::timed([&] { return lf::sync_wait(pool, call...); }); };
  };
  const auto steps = [&p] { return leat::rivals::steps_of(p.integer("us"), p); };
  if (kernel == "fib") return timed(fib, static_cast<int>(p.integer("n")));
  if (kernel == "treerec") return timed(treerec, static_cast<int>(p.integer("n")), steps());
  if (kernel == "nqueens") return timed(queens, leat::rivals::board_of(p));
  if (kernel == "uts") {
    static const auto of = leat::rivals::tree_of(p);
    return timed(visit, of.get(), of->root(), 0U);
  }
  if (kernel == "spc" && p.word("splittable") != "true") return timed(consume_all, p.integer("tasks"), steps());
  if (kernel == "bpc" && p.word("splittable") != "true") {
    return timed(produce, p.integer("d"), p.integer("n"), steps());
  }
  if (kernel == "loop") return loop(pool, p);
  throw leat::rivals::cannot("no program for " + std::string(kernel));
}

}  // namespace

int main(int argc, char** argv) { return leat::rivals::take_turns(argc, argv, make); }
