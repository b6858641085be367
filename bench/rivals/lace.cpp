// Lace's tasks. Its tasks are C functions with a few parameters each, so that its programs are written for it.
//
// A task that makes others waits for all of them, the youngest first: so are a single producer and one that bounces from
// worker to worker written, too. Lace has no loops: they are halved down to pieces, pieces_per_worker for each worker.

#include "inputs.hpp"

#include "kernels/busy_loop.hpp"

#include <lace.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace {

using leat::kernels::busy_loop;
using leat::kernels::nqueens::board;
using leat::kernels::uts::child_hash;
using leat::kernels::uts::state;
using leat::kernels::uts::tree;
using number = std::uint64_t;

constexpr std::int64_t pieces_per_worker = 64;

// Of a worker. Each producer of BPC waits on the one before, in a call of its own.
constexpr std::size_t stack_bytes = std::size_t{256} << 20;

TASK_1(number, fib, int, n) {
  if (n < 2) return static_cast<number>(n);
  SPAWN(fib, n - 1);
  const number b = CALL(fib, n - 2);
  return b + SYNC(fib);
}

TASK_2(number, treerec, int, n, number, steps) {
  if (n < 2) {
    busy_loop::run(steps);
    return 1;
  }
  SPAWN(treerec, n - 1, steps);
  const number b = CALL(treerec, n - 2, steps);
  return b + SYNC(treerec);
}

TASK_1(number, queens, board, b) {
  if (b.full()) return 1;
  int made = 0;
  for (int column = b.next_free(0); column < b.size; column = b.next_free(column + 1)) {
    SPAWN(queens, b.with(column));
    ++made;
  }
  number found = 0;
  for (; made > 0; --made) found += SYNC(queens);
  return found;
}

TASK_3(number, visit, const tree*, of, state, self, std::uint32_t, depth) {
  const std::uint32_t children = of->children(self, depth);
  number found = 1;
  if (children == 0) return found;
  child_hash hash{self};
  for (std::uint32_t i = 0; i < children; ++i) SPAWN(visit, of, hash(i), depth + 1);
  for (std::uint32_t i = 0; i < children; ++i) found += SYNC(visit);
  return found;
}

TASK_1(number, consume, number, steps) {
  busy_loop::run(steps);
  return 1;
}

TASK_2(number, consume_all, std::int64_t, tasks, number, steps) {
  number ran = 0;
  for (std::int64_t i = 0; i < tasks; ++i) SPAWN(consume, steps);
  for (std::int64_t i = 0; i < tasks; ++i) ran += SYNC(consume);
  return ran;
}

TASK_3(number, produce, std::int64_t, left, std::int64_t, consumers, number, steps) {
  if (left > 1) SPAWN(produce, left - 1, consumers, steps);
  number ran = 1;
  for (std::int64_t i = 0; i < consumers; ++i) SPAWN(consume, steps);
  for (std::int64_t i = 0; i < consumers; ++i) ran += SYNC(consume);
  if (left > 1) ran += SYNC(produce);
  return ran;
}

struct pieces {
  const void* body;
  void (*run)(const void* body, std::int64_t first, std::int64_t last);
  std::int64_t iterations_max;
};

VOID_TASK_3(halve, const pieces*, of, std::int64_t, first, std::int64_t, last) {
  if (last - first <= of->iterations_max) return of->run(of->body, first, last);
  const std::int64_t middle = first + (last - first) / 2;
  SPAWN(halve, of, middle, last);
  CALL(halve, of, first, middle);
  SYNC(halve);
}

leat::rivals::program loop(const leat::rivals::parameters& p) {
  return [work = leat::rivals::loop_of(p), all = p.integer("workers") * pieces_per_worker] {
    leat::rivals::turn t;
    t.seconds = work->time([all]<class Body>(std::int64_t iterations, Body body) {
      const auto run = [](const void* of, std::int64_t first, std::int64_t last) {
        const Body piece = *static_cast<const Body*>(of);
        for (std::int64_t i = first; i < last; ++i) piece(i);
      };
      const pieces of{&body, run, std::max<std::int64_t>(1, iterations / all)};
      RUN(halve, &of, std::int64_t{0}, iterations);
    });
    t.found = work->take_count();
    return t;
  };
}

template <class F>
leat::rivals::program timed(F f) {
  return [f] { return leat::rivals::timed(f); };
}

// How many tasks may wait in a worker's deque: Lace stops a program that has more, and touches the memory of all.
std::size_t room_for(std::string_view kernel, const leat::rivals::parameters& p) {
  constexpr std::int64_t usual = 100'000;
  if (kernel == "spc") return static_cast<std::size_t>(usual + p.integer("tasks"));
  if (kernel == "bpc") return static_cast<std::size_t>(usual + p.integer("d") + p.integer("n"));
  return usual;
}

leat::rivals::program make(std::string_view kernel, const leat::rivals::parameters& p) {
  using leat::rivals::steps_of;
  lace_set_stacksize(stack_bytes);
  lace_start(static_cast<unsigned>(p.integer("workers")), room_for(kernel, p));
  if (kernel == "fib") return timed([n = static_cast<int>(p.integer("n"))] { return RUN(fib, n); });
  if (kernel == "treerec") {
    return timed([n = static_cast<int>(p.integer("n")), steps = steps_of(p.integer("us"), p)] {
      return RUN(treerec, n, steps);
    });
  }
  if (kernel == "nqueens") return timed([b = leat::rivals::board_of(p)] { return RUN(queens, b); });
  if (kernel == "uts") return timed([t = leat::rivals::tree_of(p)] { return RUN(visit, t.get(), t->root(), 0U); });
  if (kernel == "spc" && p.word("splittable") != "true") {
    return timed(
        [tasks = p.integer("tasks"), steps = steps_of(p.integer("us"), p)] { return RUN(consume_all, tasks, steps); });
  }
  if (kernel == "bpc" && p.word("splittable") != "true") {
    return timed([n = p.integer("n"), d = p.integer("d"), steps = steps_of(p.integer("us"), p)] {
      return RUN(produce, d, n, steps);
    });
  }
  if (kernel == "loop") return loop(p);
  throw leat::rivals::cannot("no program for " + std::string(kernel));
}

}  // namespace

int main(int argc, char** argv) { return leat::rivals::take_turns(argc, argv, make); }
