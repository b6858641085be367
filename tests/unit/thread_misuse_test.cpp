// What user-level threads must not do, and are told.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "carried.hpp"

namespace {

using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::shape;

TEST(thread_misuse, no_call_inside_another) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    std::atomic<int> inner{0};
    on::run(e, machine_of(s.workers), [&] {
      typename on::thread outer([&] {
        EXPECT_THROW(on::run_on("pu:2", [] {}), std::logic_error);
        auto waited_for = engine::async([] { on::run_on("pu:2", [] {}); });
        EXPECT_THROW(waited_for.get(), std::logic_error) << "by a task that a thread waits for";
        typename on::thread t([&] { ++inner; });
        t.join();
      });
      outer.join();
    });
    EXPECT_EQ(inner, 1);
    on::run(e, machine_of(s.workers), [&] { ++inner; });
    EXPECT_EQ(inner, 2) << "one after the other";
    EXPECT_THROW(on::run(e, machine_of(s.workers), [] { throw 7; }), int);
    on::run(e, machine_of(s.workers), [&] { ++inner; });
    EXPECT_EQ(inner, 3) << "also after one that threw";
  });
}

// The group knows its worker. Three threads on two units come to another one now and then, but not while they have a group.
TEST(thread_misuse, no_yield_leaves_a_group_behind) {
  using on = leat_test::carried<engine>;
  engine e(shape{2});
  on::run(e, "pu:2", [] {
    constexpr int threads = 3, tasks = 4, yields = 10'000;
    std::atomic<int> ran{0};
    const auto throws = [&] {
      engine::task_group group;
      const auto unit = on::unit();
      for (int i = 0; i < tasks; ++i) group.spawn([&] { ++ran; });
      for (int i = 0; i < yields; ++i) {
        on::thread::yield();
        if (i % 100 == 0) std::this_thread::yield();  // there may be one CPU, and the other worker is to have it
      }
      EXPECT_EQ(on::unit(), unit);
      throw std::runtime_error("passes by the group");
    };
    std::vector<typename on::thread> all;
    for (int i = 0; i < threads; ++i) all.emplace_back([&] { EXPECT_THROW(throws(), std::runtime_error); });
    for (auto& t : all) t.join();
    EXPECT_EQ(ran, threads * tasks) << "the group has waited";
  });
}

// Only where a thread gives its group to another.
TEST(thread_misuse, no_other_thread_waits_for_a_group) {
  using on = leat_test::carried<engine>;
  engine e(shape{2});
  on::run(e, "pu:2", [] {
    engine::task_group group;
    std::atomic<bool> tried{false};
    typename on::thread other([&] {
      try {
        group.wait();
        ADD_FAILURE() << "another worker waited for the group";
      } catch (const std::logic_error& error) {
        EXPECT_NE(std::string(error.what()).find("which made the group, may wait for it"), std::string::npos)
            << error.what();
      }
      tried = true;
    });
    EXPECT_TRUE(leat_test::comes_true([&] { return on::thread::yield(), tried.load(); }))
        << "the other unit executes it";
    other.join();
  });
}

}  // namespace
