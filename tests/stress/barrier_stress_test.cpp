// Barriers under load: work that moves between workers just as it runs out.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "engines.hpp"

namespace {

using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

template <class E>
void tree(int depth, std::vector<int>& leaves, std::size_t i) {
  if (depth == 0) {
    ++leaves[i];
    return;
  }
  E::spawn([depth, &leaves, i] { tree<E>(depth - 1, leaves, 2 * i); });
  E::spawn([depth, &leaves, i] { tree<E>(depth - 1, leaves, 2 * i + 1); });
}

// A barrier that is released too early misses a leaf; the leaves are plain, so TSan sees one that is too late to order.
TEST(barrier_stress, trees_of_every_size_between_barriers) {
  on_each_shape<engine>(shapes({1, 2, 3, 8, 16}), [](engine& e, const shape&) {
    e.run([] {
      std::vector<int> leaves(64);
      int rounds[7] = {};
      for (int i = 0; i < reps(300); ++i) {
        const int depth = i % 7;
        ++rounds[depth];
        tree<engine>(depth, leaves, 0);
        engine::barrier();
        int sum = 0;
        for (const int leaf : leaves) sum += leaf;
        int expected = 0;
        for (int d = 0; d < 7; ++d) expected += rounds[d] << d;
        ASSERT_EQ(sum, expected);
      }
    });
  });
}

TEST(barrier_stress, barriers_of_several_runs_with_futures_inside) {
  on_each_shape<engine>(shapes({1, 2, 3, 8}), [](engine& e, const shape&) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 3; ++c) {
      callers.emplace_back([&] {
        e.run([&] {
          std::vector<int> cells(8);
          for (int round = 1; round <= reps(100); ++round) {
            for (int& cell : cells) {
              engine::spawn([&cell] {
                auto f = engine::async([&cell] { return cell; });
                const int before = f.get();
                cell = before + 1;
              });
            }
            engine::barrier();
            wrong += cells != std::vector<int>(8, round);
          }
        });
      });
    }
    for (auto& t : callers) t.join();
    EXPECT_EQ(wrong, 0);
  });
}

}  // namespace
