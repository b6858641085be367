// Twelve programs with one fault each, which leat profile is to name (verdicts.py). The faults of two, a quota and another busy
// program, are in what verdicts.py starts them with.

#include <leat/leat.hpp>

#include <sys/mman.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "arithmetic.hpp"

namespace {

using profiled::keep;
using profiled::work;

void even_loop(int iterations, std::uint64_t us) {
  leat::parallel_for(0, iterations, [us](int) { keep(work(us)); });
}

// Half of the time is before and after the only loop.
void serial() {
  keep(work(150'000));
  leat::runtime().run([] { even_loop(3'000, 100); });
  keep(work(50'000));
}

// Each step needs the result of the one before.
void chain() {
  leat::runtime rt;
  rt.run([] {
    std::uint64_t state = 1;
    for (int i = 0; i < 6'000; ++i) state = leat::async([state] { return state + work(60); }).get();
    keep(state);
  });
}

// The sum of numbers, each of which is a task of some nanoseconds.
std::uint64_t sum_of(std::uint64_t first, std::uint64_t last) {
  if (last - first == 1) return first * first;
  const std::uint64_t middle = first + (last - first) / 2;
  const auto [a, b] = leat::fork_join([=] { return sum_of(first, middle); }, [=] { return sum_of(middle, last); });
  return a + b;
}

void tiny_tasks() {
  leat::runtime rt;
  rt.run([] {
    for (int i = 0; i < 20; ++i) keep(sum_of(0, 1 << 22));
  });
}

// Numbers that several workers write lie in one cache line.
void false_sharing() {
  leat::runtime rt;
  struct alignas(64) line {
    volatile std::uint64_t of[8] = {};
  } counts;
  rt.run([&] {
    leat::task_group group;
    for (std::size_t w = 0; w < 8; ++w) {
      group.spawn([&counts, w] {
        for (int i = 0; i < 40'000'000; ++i) counts.of[w] = counts.of[w] + 1;
      });
    }
    group.wait();
  });
}

// Reads and writes far more memory than a cache holds, with next to no arithmetic.
void bandwidth() {
  leat::runtime rt;
  constexpr std::size_t bytes = std::size_t{64} << 20;
  std::vector<std::uint64_t> a(bytes / 8), b(bytes / 8), c(bytes / 8);
  rt.run([&] {
    for (int i = 0; i < 200; ++i) {  // many times as long as it takes to fill the memory first
      leat::parallel_for(std::size_t{0}, a.size() / 4096, [&](std::size_t block) {
        for (std::size_t k = block * 4096; k < (block + 1) * 4096; ++k) a[k] = b[k] + 3 * c[k];
      });
    }
  });
  keep(a[17]);
}

// Most of a task's time is under one lock.
void lock() {
  leat::runtime rt;
  std::mutex table;
  rt.run([&] {
    leat::parallel_for(0, 3'000, [&](int) {
      const std::lock_guard<std::mutex> hold(table);
      keep(work(150));
    });
  });
}

// Tasks sleep without leat::blocking.
void system_calls() {
  leat::runtime rt;
  rt.run([] {
    leat::parallel_for(0, 2'000, [](int) {
      keep(work(100));
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    });
  });
}

void quota() {
  leat::runtime rt;
  rt.run([] { even_loop(8'000, 100); });
}

void another_program() { quota(); }

// The last iteration takes as long as a third of all others.
void imbalance() {
  leat::runtime rt;
  rt.run([] { leat::parallel_for(0, 4'000, [](int i) { keep(work(i == 3'999 ? 200'000 : 100)); }); });
}

// All workers meet each 50 us.
void barriers() {
  leat::runtime rt;
  rt.run([] {
    for (int i = 0; i < 8'000; ++i) even_loop(8, 12);
  });
}

// Each task takes memory of its own from the system, touches it once, and gives it back.
void page_faults() {
  leat::runtime rt;
  rt.run([] {
    leat::parallel_for(0, 1'500, [](int) {
      constexpr std::size_t bytes = std::size_t{1} << 20, page = 4096;
      void* const got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (got == MAP_FAILED) return;
      madvise(got, bytes, MADV_NOHUGEPAGE);
      auto* const memory = static_cast<unsigned char*>(got);
      for (std::size_t i = 0; i < bytes; i += page) memory[i] = 1;
      munmap(got, bytes);
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  return profiled::run_named(argc, argv,
                             {{"serial", serial},
                              {"chain", chain},
                              {"tiny_tasks", tiny_tasks},
                              {"false_sharing", false_sharing},
                              {"bandwidth", bandwidth},
                              {"lock", lock},
                              {"system_calls", system_calls},
                              {"quota", quota},
                              {"another_program", another_program},
                              {"imbalance", imbalance},
                              {"barriers", barriers},
                              {"page_faults", page_faults}});
}
