// Plain tasks: each is executed once, wherever it was spawned and however full the deques are.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

// How often each task ran. Plain numbers: TSan sees to it that the end of the run is after every task.
using tallies = std::vector<int>;

void expect_all_once(const tallies& ran) {
  std::size_t wrong = 0;
  for (const int times : ran) wrong += times != 1;
  EXPECT_EQ(wrong, 0u) << "of " << ran.size();
}

TEST(spawn, runs_many_tasks_of_the_root_once_each) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    tallies ran(static_cast<std::size_t>(reps(2000)));
    e.run([&] {
      for (int& times : ran) engine::spawn([&times] { ++times; });
    });
    expect_all_once(ran);
  });
}

template <class E>
void chain(tallies& ran, std::size_t i) {
  ++ran[i];
  if (i + 1 < ran.size()) E::spawn([&ran, i] { chain<E>(ran, i + 1); });
}

TEST(spawn, runs_a_long_chain_of_tasks_once_each) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    tallies ran(static_cast<std::size_t>(reps(1000)));
    e.run([&] { chain<engine>(ran, 0); });
    expect_all_once(ran);
  });
}

// Node i has the children 3i + 1 to 3i + 3.
template <class E>
void tree(tallies& ran, std::size_t i) {
  ++ran[i];
  for (std::size_t child = 3 * i + 1; child <= 3 * i + 3 && child < ran.size(); ++child) {
    E::spawn([&ran, child] { tree<E>(ran, child); });
  }
}

TEST(spawn, runs_a_tree_of_tasks_once_each) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      tallies ran(364);  // 1 + 3 + 9 + ... + 243
      e.run([&] { tree<engine>(ran, 0); });
      expect_all_once(ran);
    }
  });
}

TEST(spawn, runs_everything_with_each_way_to_steal) {
  using leat::protocol::strategy;
  for (const strategy how : {strategy::steal_one, strategy::steal_half, strategy::adaptive}) {
    for (const shape& s : shapes({2, 3, 8})) {
      SCOPED_TRACE(s.name());
      engine e(s, how);
      for (int round = 0; round < reps(10); ++round) {
        tallies ran(364);
        e.run([&] { tree<engine>(ran, 0); });
        expect_all_once(ran);
      }
    }
  }
}

// With room for one task, every second one runs inside the spawn; it may spawn in turn.
TEST(spawn, never_runs_a_task_in_place_when_the_deque_is_full) {
  engine e(shape{1, 1});
  std::vector<int> order;
  e.run([&] {
    engine::spawn([&] { order.push_back(4); });
    engine::spawn([&] {
      engine::spawn([&] { order.push_back(3); });
      order.push_back(2);
    });
    order.push_back(1);
  });
  EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
  EXPECT_EQ(e.counters()[leat::event::inlined], 0u);
  EXPECT_EQ(e.counters()[leat::event::tasks], 3u);
}

// Each task fills the deque and then spawns the next one, which must not run inside the one that spawned it.
template <class E>
void nest(int left, int& depth, int& deepest) {
  deepest = std::max(deepest, ++depth);
  E::spawn([] {});
  if (left > 0) E::spawn([left, &depth, &deepest] { nest<E>(left - 1, depth, deepest); });
  --depth;
}

TEST(spawn, does_not_nest_tasks_on_the_stack) {
  engine e(shape{1, 1});
  int depth = 0;
  int deepest = 0;
  e.run([&] { nest<engine>(reps(1'000'000), depth, deepest); });
  EXPECT_EQ(deepest, 1);
}

TEST(spawn, what_a_task_throws_comes_out_of_the_run_and_not_of_spawn) {
  engine e(shape{1, 1});
  bool went_on = false;
  const auto root = [&] {
    engine::spawn([] {});
    engine::spawn([] { throw std::runtime_error("in a task"); });
    went_on = true;
  };
  EXPECT_THROW(e.run(root), std::runtime_error);
  EXPECT_TRUE(went_on);
}

TEST(spawn, one_worker_runs_the_newest_task_first) {
  engine e(shape{1});
  std::vector<int> order;
  e.run([&] {
    for (int i = 0; i < 5; ++i) engine::spawn([&order, i] { order.push_back(i); });
  });
  EXPECT_EQ(order, (std::vector{4, 3, 2, 1, 0}));
}

TEST(spawn, copies_what_is_given_by_name_and_destroys_every_copy) {
  on_each_shape<engine>(shapes({1, 3}), [](engine& e, const shape&) {
    const auto counted = std::make_shared<std::atomic<int>>(0);
    auto task = [counted] { ++*counted; };
    e.run([&] {
      for (int i = 0; i < 100; ++i) engine::spawn(task);
      for (int i = 0; i < 100; ++i) engine::spawn(std::as_const(task));
    });
    EXPECT_EQ(*counted, 200);
    EXPECT_EQ(counted.use_count(), 2) << "ours and the one in task";
  });
}

// Travels as bytes, and yet cannot be copied.
struct trivially_movable {
  explicit trivially_movable(int v) : value(v) {}
  trivially_movable(trivially_movable&&) = default;
  trivially_movable(const trivially_movable&) = delete;
  int value;
};
static_assert(std::is_trivially_copyable_v<trivially_movable>);

TEST(spawn, takes_callables_that_are_big_or_move_only) {
  on_each_shape<engine>(shapes({1, 3}), [](engine& e, const shape&) {
    std::atomic<int> sum{0};
    e.run([&] {
      for (int i = 0; i < 100; ++i) {
        engine::spawn([p = std::make_unique<int>(1), &sum] { sum += *p; });
        std::array<int, 100> big{};
        big[99] = 10;
        engine::spawn([big, &sum] { sum += big[99]; });
        engine::spawn([small = trivially_movable(100), &sum] { sum += small.value; });
      }
    });
    EXPECT_EQ(sum, 11'100);
  });
}

std::atomic<int> function_calls{0};
void function() { ++function_calls; }

TEST(spawn, takes_functions_and_ignores_results) {
  engine e(shape{2});
  function_calls = 0;
  e.run([] {
    engine::spawn(function);
    engine::spawn(&function);
    engine::spawn([] { return ++function_calls; });
  });
  EXPECT_EQ(function_calls, 3);
}

struct uncopyable_now {
  std::shared_ptr<int> ran;
  explicit uncopyable_now(std::shared_ptr<int> r) : ran(std::move(r)) {}
  uncopyable_now(const uncopyable_now&) { throw std::runtime_error("no copy"); }
  void operator()() const { ++*ran; }
};

TEST(spawn, lets_out_what_copying_the_callable_throws_and_adds_nothing) {
  engine e(shape{2});
  const uncopyable_now task(std::make_shared<int>(0));
  int others = 0;
  e.run([&] {
    engine::spawn([&] { ++others; });
    EXPECT_THROW(engine::spawn(task), std::runtime_error);
  });
  EXPECT_EQ(others, 1);
  EXPECT_EQ(*task.ran, 0);
}

TEST(spawn, needs_a_worker_and_says_so) {
  engine e(shape{1});
  try {
    engine::spawn([] {});
    FAIL() << "accepted";
  } catch (const leat::not_a_worker& problem) {
    EXPECT_NE(std::string(problem.what()).find("leat::spawn"), std::string::npos) << problem.what();
  }
  EXPECT_THROW(leat::spawn([] {}), leat::not_a_worker);
}

TEST(spawn, polling_is_allowed_anywhere) {
  engine::poll();
  leat::poll();
  engine e(shape{2});
  e.run([] {
    engine::poll();
    engine::spawn([] { engine::poll(); });
    engine::poll();
  });
}

// Two workers must be at work at once: each of two tasks waits for the other to begin.
TEST(spawn, tasks_of_a_polling_worker_reach_the_idle_ones) {
  on_each_shape<engine>(shapes({2, 3, 8}), [](engine& e, const shape&) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> begun{0};
      std::atomic<bool> met{true};
      e.run([&] {
        const auto meet = [&] {
          ++begun;
          if (!leat_test::comes_true([&] { return engine::poll(), begun >= 2; })) met = false;
        };
        engine::spawn(meet);
        meet();
      });
      ASSERT_TRUE(met);
    }
  });
}

}  // namespace
