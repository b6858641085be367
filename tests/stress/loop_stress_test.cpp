// Loops of all sizes and costs, inside each other, with bodies that throw and groups that are cancelled, for many
// rounds.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engines.hpp"
#include "leat/protocol/random.hpp"

namespace {

using leat::splitting;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::worker_shapes;

constexpr splitting strategies[] = {splitting::adaptive, splitting::half, splitting::guided};

// Something that takes about as long as `n` says.
std::uint64_t work(std::uint64_t n) {
  std::uint64_t z = n;
  for (std::uint64_t k = 0; k < n; ++k) z = z * 6'364'136'223'846'793'005u + 1;
  return z;
}

// The cost of iteration i: mostly little, now and then much.
std::uint64_t cost(std::uint64_t i) { return i % 97 == 0 ? 20'000 : i % 7; }

TEST(loop_stress, uneven_loops_visit_every_index_once) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      leat::protocol::random random(17);
      for (int round = 0; round < reps(30); ++round) {
        const std::size_t n = random() % 3000;
        std::vector<std::atomic<int>> times(n);
        std::atomic<std::uint64_t> sink{0};
        E::parallel_for(std::size_t{0}, n,
                        [&](std::size_t i) {
                          sink.fetch_add(work(cost(i)), std::memory_order_relaxed);
                          ++times[i];
                        },
                        {.chunk_min = 1 + random() % 4, .split = strategies[round % 3]});
        for (auto& t : times) ASSERT_EQ(t, 1);
      }
    });
  });
}

// Such loops are over before a thief could help, and the next one of the same kind is not.
TEST(loop_stress, brief_loops_and_long_ones_by_turns) {
  using E = engine;
  on_each_shape<E>(worker_shapes({1, 2, 8}), [](E& e, const shape&) {
    e.run([] {
      std::atomic<long> sum{0};
      long expected = 0;
      for (int round = 0; round < reps(3000); ++round) {
        const int n = round % 50 == 0 ? 2000 : round % 12;
        expected += n;
        E::parallel_for(0, n, [&](int) { sum.fetch_add(1, std::memory_order_relaxed); });
      }
      EXPECT_EQ(sum, expected);
    });
  });
}

TEST(loop_stress, loops_inside_each_other_throw_and_are_cancelled) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      for (int round = 0; round < reps(60); ++round) {
        std::atomic<int> inside{0};
        const auto outer = [&](int i) {
          ++inside;
          typename E::task_group enough;
          E::parallel_for(0, 100000,
                          [&](int k) {
                            if (k % 64 == i) enough.cancel();
                          },
                          {.stop = enough.token()});
          try {
            E::parallel_for(0, 300, [&](int k) {
              if (k == 10 * i) throw i;
            });
          } catch (int thrown) {
            EXPECT_EQ(thrown, i);
          }
          --inside;
          if (i == round) throw std::string("outer");
        };
        if (round < 40) EXPECT_THROW(E::parallel_for(0, 40, outer), std::string);
        else E::parallel_for(0, 40, outer);
        EXPECT_EQ(inside, 0);
      }
    });
  });
}

TEST(loop_stress, reductions_keep_their_order) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    std::string expected;
    for (int i = 0; i < 700; ++i) expected += static_cast<char>('a' + i % 23);
    e.run([&] {
      const auto map = [](int i) {
        if (work(cost(static_cast<std::uint64_t>(i)) / 8) == 1) return std::string("never");
        return std::string(1, static_cast<char>('a' + i % 23));
      };
      for (int round = 0; round < reps(60); ++round) {
        EXPECT_EQ(E::parallel_reduce(0, 700, std::string(), map, std::plus<>(), {.split = strategies[round % 3]}),
                  expected);
        EXPECT_EQ(E::deterministic_reduce(0, 700, std::string(), map, std::plus<>()), expected);
      }
    });
  });
}

}  // namespace
