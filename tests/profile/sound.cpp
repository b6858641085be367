// Twelve programs without a fault, which leat profile is to accuse of nothing (verdicts.py).

#include <leat/leat.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "arithmetic.hpp"

namespace {

using profiled::keep;
using profiled::work;

std::uint64_t serial_fib(int n) {
  return n < 2 ? static_cast<std::uint64_t>(n) : serial_fib(n - 1) + serial_fib(n - 2);
}

std::uint64_t fib(int n) {
  if (n < 22) return serial_fib(n);
  const auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void forks() {
  leat::runtime().run([] { keep(fib(43)); });
}

void even_loop() {
  leat::runtime().run([] { leat::parallel_for(0, 15'000, [](int) { keep(work(100)); }); });
}

// Iterations of many lengths, none of them long.
void uneven_loop() {
  leat::runtime().run(
      [] { leat::parallel_for(0, 15'000, [](int i) { keep(work(static_cast<std::uint64_t>(i) % 200)); }); });
}

void default_runtime() {
  leat::parallel_for(0, 15'000, [](int) { keep(work(100)); });
}

void reduction() {
  leat::runtime().run([] {
    for (int i = 0; i < 20; ++i) {
      const double sum = leat::parallel_reduce(
          0, 10'000'000, 0.0, [](int k) { return 1.0 / (1.0 + static_cast<double>(k) * k); }, std::plus<>());
      keep(static_cast<std::uint64_t>(sum));
    }
  });
}

void sort() {
  leat::runtime rt;
  rt.run([] {
    std::vector<std::uint64_t> numbers(std::size_t{1} << 20);
    for (std::uint64_t round = 1; round < 15; ++round) {
      leat::parallel_for(std::size_t{0}, numbers.size(),
                         [&](std::size_t i) { numbers[i] = (i + round) * 0x9e3779b97f4a7c15; });
      leat::parallel_sort(numbers.begin(), numbers.end());
    }
    keep(numbers[1]);
  });
}

void matrices() {
  constexpr std::size_t n = 384;
  leat::runtime rt;
  std::vector<double> a(n * n, 1.5), b(n * n, 2.5), c(n * n);
  rt.run([&] {
    for (int round = 0; round < 20; ++round) {
      leat::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
        for (std::size_t k = 0; k < n; ++k)
          for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
      });
    }
  });
  keep(static_cast<std::uint64_t>(c[5]));
}

void tasks_of_a_group() {
  leat::runtime().run([] {
    leat::task_group group;
    for (int i = 0; i < 20'000; ++i) group.spawn([] { keep(work(70)); });
    group.wait();
  });
}

std::uint64_t tree_of_futures(int depth) {
  if (depth == 0) return work(300);
  leat::future<std::uint64_t> left = leat::async([depth] { return tree_of_futures(depth - 1); });
  const std::uint64_t right = tree_of_futures(depth - 1);
  return left.get() + right;
}

void futures() {
  leat::runtime().run([] { keep(tree_of_futures(12)); });
}

// A lock, but for a ten-thousandth of the time.
void rare_lock() {
  leat::runtime rt;
  std::mutex total_lock;
  std::uint64_t total = 0;
  rt.run([&] {
    leat::parallel_for(0, 7'000, [&](int) {
      const std::uint64_t part = work(200);
      const std::lock_guard<std::mutex> hold(total_lock);
      total += part;
    });
  });
  keep(total);
}

// Solutions of the puzzle of n queens, by forks above a cutoff.
std::uint64_t queens(unsigned n, unsigned row, std::uint32_t columns, std::uint32_t left, std::uint32_t right) {
  if (row == n) return 1;
  std::uint64_t found = 0;
  std::uint32_t free = ~(columns | left | right) & ((1U << n) - 1);
  if (row > 5) {
    for (; free != 0; free &= free - 1) {
      const std::uint32_t bit = free & (~free + 1);
      found += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
  }
  std::vector<std::uint32_t> bits;
  for (; free != 0; free &= free - 1) bits.push_back(free & (~free + 1));
  return leat::parallel_reduce(
      std::size_t{0}, bits.size(), std::uint64_t{0},
      [&](std::size_t i) {
        return queens(n, row + 1, columns | bits[i], (left | bits[i]) << 1, (right | bits[i]) >> 1);
      },
      std::plus<>());
}

void puzzle() {
  leat::runtime().run([] { keep(queens(14, 0, 0, 0, 0)); });
}

void graph() {
  leat::runtime rt;
  rt.run([] {
    leat::graph g;
    auto last = g.add([] {});
    for (int wave = 0; wave < 10; ++wave) {
      auto joined = g.add([] {});
      for (int i = 0; i < 64; ++i) {
        auto task = g.add([] { keep(work(1'000)); });
        last.precede(task);
        task.precede(joined);
      }
      last = joined;
    }
    for (int i = 0; i < 2; ++i) g.run();
  });
}

}  // namespace

int main(int argc, char** argv) {
  return profiled::run_named(argc, argv,
                             {{"forks", forks},
                              {"even_loop", even_loop},
                              {"uneven_loop", uneven_loop},
                              {"default_runtime", default_runtime},
                              {"reduction", reduction},
                              {"sort", sort},
                              {"matrices", matrices},
                              {"tasks_of_a_group", tasks_of_a_group},
                              {"futures", futures},
                              {"rare_lock", rare_lock},
                              {"puzzle", puzzle},
                              {"graph", graph}});
}
