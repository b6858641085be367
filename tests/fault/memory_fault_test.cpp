// Memory that runs out, and memory that is used again.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "child_threads.hpp"
#include "engines.hpp"
#include "fault/memory.hpp"
#include "fault/threads.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::allocations;
using leat_test::engine;
using leat_test::failing_allocation;

leat::options with_workers(std::uint64_t n) {
  leat::options o;
  o.workers = n;
  o.deque_capacity = 16;
  return o;
}

// A callable that is kept on the heap.
struct boxed {
  std::atomic<int>* ran;
  std::array<char, 100> ballast{};
  void operator()() const { ++*ran; }
};

TEST(memory_fault, spawn_throws_and_nothing_is_lost) {
  for (const std::uint64_t workers : {1u, 2u, 8u}) {
    leat::runtime rt(with_workers(workers));
    for (long k = 0; k < 5; ++k) {
      std::atomic<int> ran{0};
      int spawned = 0;
      rt.run([&] {
        for (int i = 0; i < 200; ++i) {
          const failing_allocation fault(k);
          try {
            leat::spawn(boxed{&ran});
            ++spawned;
          } catch (const std::bad_alloc&) {
          }
        }
      });
      EXPECT_EQ(ran, spawned) << "what spawn took runs, what it refused does not";
      if (k == 0) {
        EXPECT_EQ(spawned, 0);
      }
      EXPECT_EQ(rt.run([] { return 5; }), 5);
    }
  }
}

TEST(memory_fault, async_throws_and_nothing_is_lost) {
  for (const std::uint64_t workers : {1u, 2u, 8u}) {
    leat::runtime rt(with_workers(workers));
    for (long k = 0; k < 5; ++k) {
      std::atomic<int> ran{0};
      int made = 0;
      rt.run([&] {
        for (int i = 0; i < 100; ++i) {
          std::optional<leat::future<int>> f;
          {
            const failing_allocation fault(k);
            try {
              f = leat::async([call = boxed{&ran}] { return call(), 7; });
              ++made;
            } catch (const std::bad_alloc&) {
            }
          }
          if (f && i % 2 == 0) {
            EXPECT_EQ(f->get(), 7);
          }
        }
      });
      EXPECT_EQ(ran, made);
      EXPECT_EQ(rt.run([] { return 5; }), 5);
    }
  }
}

TEST(memory_fault, what_a_task_throws_for_want_of_memory_comes_out_of_the_run) {
  leat::runtime rt(with_workers(2));
  std::atomic<int> others{0};
  EXPECT_THROW(rt.run([&] {
    for (int i = 0; i < 50; ++i) leat::spawn([&others] { ++others; });
    leat::spawn([] {
      const failing_allocation fault(0);
      ::operator delete(::operator new(1));  // not make_unique, which the compiler may leave out
    });
  }),
               std::bad_alloc);
  EXPECT_EQ(others, 50);
}

// Every allocation of the constructor fails in turn, those for the threads included.
TEST(memory_fault, a_runtime_that_cannot_be_built_leaves_nothing_behind) {
  const int threads = leat_test::threads_of_this_process();
  bool built = false;
  for (long k = 0; !built; ++k) {
    ASSERT_LT(k, 10'000);
    {
      const failing_allocation fault(k);
      try {
        const leat::runtime rt(with_workers(3));
        built = !fault.met();
      } catch (const std::bad_alloc&) {
      }
    }
    ASSERT_TRUE(leat_test::has_threads(threads)) << k;
  }
  leat::runtime rt(with_workers(3));
  EXPECT_EQ(rt.run([] { return 1; }), 1);
}

// Each allocation fails once, of those that the thread makes for the default runtime and its first loop. What was made stays.
TEST(memory_fault, a_default_runtime_that_cannot_be_built_is_made_by_the_next_call) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  constexpr long allocations_max = 10'000;
  const auto sum_without_memory = [](long k, bool& failed) {
    int sum = 0;
    const failing_allocation fault(k);
    try {
      leat::parallel_for(0, 10, [&](int) { ++sum; }, {.chunk_min = 10});
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    return sum;
  };
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    bool failed = true;
    long k = 0;
    for (int sum = 0; failed && k != allocations_max; ++k) {
      failed = false;
      sum = sum_without_memory(k, failed);
      if (failed ? sum != 0 : sum != 10) _exit(1);
    }
    _exit(k < 20 || failed ? 2 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// The submitting thread's own allocations fail: run() throws or succeeds, and the runtime goes on either way.
TEST(memory_fault, run_survives_a_caller_without_memory) {
  leat::runtime rt(with_workers(2));
  for (long k = 0; k < 10; ++k) {
    int ran = 0;
    bool threw = false;
    {
      const failing_allocation fault(k);
      try {
        rt.run([&] { ++ran; });
      } catch (const std::bad_alloc&) {
        threw = true;
      }
    }
    EXPECT_EQ(ran, threw ? 0 : 1) << k;
    EXPECT_EQ(rt.run([] { return 2; }), 2);
  }
}

// -- steady state

TEST(memory_use, spawning_small_callables_allocates_nothing) {
  engine e(leat_test::shape{1});
  const std::uint64_t made = e.run([] {
    std::uint64_t sum = 0;
    const std::uint64_t before = allocations();
    for (int i = 0; i < 1000; ++i) engine::spawn([&sum] { ++sum; });
    engine::barrier();
    return allocations() - before;
  });
  const std::uint64_t again = e.run([] {
    const std::uint64_t before = allocations();
    for (int i = 0; i < 1000; ++i) engine::spawn([] {});
    return allocations() - before;
  });
  EXPECT_LT(made, 10u) << "the barrier's messages, perhaps";
  EXPECT_EQ(again, 0u);
}

template <class E>
int fib(int n) {
  if (n < 2) return n;
  auto a = E::async([n] { return fib<E>(n - 1); });
  const int b = fib<E>(n - 2);
  return a.get() + b;
}

TEST(memory_use, the_second_run_of_futures_allocates_nothing) {
  engine e(leat_test::shape{1});
  const auto allocated = [&](auto work) {
    return e.run([&] {
      const std::uint64_t before = allocations();
      work();
      return allocations() - before;
    });
  };
  const auto recursion = [] { EXPECT_EQ(fib<engine>(12), 144); };
  EXPECT_GT(allocated(recursion), 0u) << "the blocks come from somewhere";
  EXPECT_EQ(allocated(recursion), 0u);

  const auto wide = [] {
    std::array<engine::future<int>, 1000> all;
    for (int i = 0; i < 1000; ++i) all[static_cast<std::size_t>(i)] = engine::async([i] { return i; });
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].get(), i);
  };
  EXPECT_GT(allocated(wide), 0u);
  EXPECT_EQ(allocated(wide), 0u);
}

// Every loan comes back, so the slots are used again: the deques do not grow, however much is stolen.
TEST(memory_use, stealing_over_and_over_allocates_nothing) {
  engine e(leat_test::shape{2, 4});
  const auto meet_often = [&](int rounds) {
    const std::uint64_t before = allocations();
    for (int i = 0; i < rounds; ++i) {
      std::atomic<int> begun{0};
      const auto meet = [&begun] {
        ++begun;
        EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), begun == 2; }));
      };
      engine::spawn(meet);
      meet();
      engine::barrier();
    }
    return allocations() - before;
  };
  e.run([&] {
    meet_often(50);
    EXPECT_EQ(meet_often(200), 0u);
  });
  EXPECT_GE(e.counters()[leat::event::steals], 250u);
}

}  // namespace
