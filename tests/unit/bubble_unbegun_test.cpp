// Threads and bubbles that never begin: discarded where they are destroyed, and told where they outlive run_threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "carried.hpp"

namespace {

using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::shape;

using on = leat_test::carried<engine>;

/// Counts the callables that have it, and are neither called nor destroyed.
using counted = std::shared_ptr<int>;

/// Threads may be executed only where that is set.
struct callable {
  counted lives;
  std::atomic<int>* ran;
  void operator()() const { ++*ran; }
};

TEST(unbegun, bubbles_are_discarded_when_an_exception_passes) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    const counted lives = std::make_shared<int>(0);
    std::atomic<int> ran{0};
    const auto throws = [&] {
      typename on::bubble outer, inner;
      typename on::thread before(on::held, callable{lives, &ran});
      for (int i = 0; i < 3; ++i) outer.spawn(callable{lives, &ran});
      inner.spawn(callable{lives, &ran});
      outer.insert(inner);
      outer.insert(before);
      typename on::thread after(on::held, callable{lives, &ran});
      inner.insert(after);
      throw std::runtime_error("before the wake");
    };
    EXPECT_THROW(on::run(e, machine_of(s.workers), throws), std::runtime_error);
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(lives.use_count(), 1) << "all callables are destroyed";
    on::run(e, machine_of(s.workers), [&] {
      typename on::bubble b;
      b.spawn(callable{lives, &ran});
      b.wake();
      b.join();
    });
    EXPECT_EQ(ran, 1) << "the next call is as any";
  });
}

// What is left of a bubble whose outer or inner one is gone.
TEST(unbegun, bubbles_and_handles_survive_the_one_that_they_were_in) {
  engine e(shape{2});
  std::atomic<int> ran{0};
  const counted lives = std::make_shared<int>(0);
  on::run(e, "pu:2", [&] {
    typename on::bubble inner, next;
    typename on::thread kept(on::held, callable{lives, &ran}), dropped(on::held, callable{lives, &ran});
    {
      typename on::bubble outer, gone;
      inner.spawn(callable{lives, &ran});
      gone.spawn(callable{lives, &ran});
      outer.insert(inner);
      outer.insert(gone);
      outer.insert(kept);
      outer.insert(dropped);
    }
    EXPECT_THROW(kept.join(), std::logic_error) << "it was never released";
    EXPECT_THROW(inner.join(), std::logic_error) << "it was not woken";
    next.insert(kept);
    next.insert(inner);
    next.wake();
    next.join();
    kept.join();
    EXPECT_EQ(ran, 2);
  });
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(lives.use_count(), 1);
}

TEST(unbegun, a_handle_destroyed_before_the_wake_leaves_the_others) {
  engine e(shape{2});
  std::atomic<int> ran{0};
  const counted lives = std::make_shared<int>(0);
  on::run(e, "pu:2", [&] {
    typename on::bubble outer, inner;
    inner.spawn(callable{lives, &ran});
    outer.insert(inner);
    {
      typename on::thread dropped(on::held, callable{lives, &ran});
      inner.insert(dropped);
    }
    outer.wake();
    outer.join();
    EXPECT_EQ(ran, 1);
  });
  EXPECT_EQ(lives.use_count(), 1);
}

TEST(unbegun, who_waits_for_a_thread_that_is_discarded_is_told) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    on::run(e, machine_of(s.workers), [] {
      std::optional<typename on::bubble> outer(std::in_place);
      typename on::bubble inner;
      inner.spawn([] { ADD_FAILURE() << "it began"; });
      typename on::thread never(on::held, [] { ADD_FAILURE() << "it began"; });
      outer->insert(inner);
      outer->insert(never);
      std::atomic<int> waiting{0}, told{0};
      const auto waits = [&](auto& for_what) {
        return [&] {
          ++waiting;
          try {
            for_what.join();
          } catch (const std::logic_error&) {
            ++told;
          }
        };
      };
      typename on::thread one(waits(never)), other(waits(inner));
      EXPECT_TRUE(leat_test::comes_true([&] { return on::thread::yield(), waiting == 2; }));
      for (int i = 0; i < 10; ++i) on::thread::yield();
      outer.reset();
      one.join();
      other.join();
      EXPECT_EQ(told, 2);
    });
  });
}

// Each of these waited for ever.
TEST(unbegun, threads_that_outlive_run_threads_are_an_error) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    const auto told = [&](auto f) -> std::string {
      try {
        on::run(e, machine_of(s.workers), f);
      } catch (const std::logic_error& error) {
        return error.what();
      }
      return "nothing";
    };
    const counted lives = std::make_shared<int>(0);
    std::atomic<int> ran{0};
    typename on::thread kept;
    EXPECT_THAT(told([&] { kept = typename on::thread(on::held, callable{lives, &ran}); }),
                testing::HasSubstr("leat::run_threads: 1 threads that were made with leat::held"));
    EXPECT_TRUE(kept.joinable());
    kept = {};
    EXPECT_EQ(lives.use_count(), 1);
    std::unique_ptr<typename on::bubble> b;
    EXPECT_THAT(told([&] {
                  b = std::make_unique<typename on::bubble>();
                  for (int i = 0; i < 3; ++i) b->spawn(callable{lives, &ran});
                }),
                testing::HasSubstr("3 threads"));
    EXPECT_THROW(b->wake(), std::logic_error) << "nobody would execute them";
    EXPECT_THROW(b->join(), std::logic_error);
    b.reset();
    EXPECT_EQ(lives.use_count(), 1);
    EXPECT_EQ(ran, 0);
    EXPECT_THROW(on::run(e, machine_of(s.workers),
                         [&] {
                           kept = typename on::thread(on::held, callable{lives, &ran});
                           throw 7;
                         }),
                 int)
        << "what a thread lets out comes first";
  });
}

// The scheduler of threads is gone, and another one is where it was.
TEST(unbegun, bubbles_that_outlive_run_threads_are_destroyed_or_joined_safely) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    enum class way { empty, empty_woken, joined, ended, failed, nested };
    for (const way w : {way::empty, way::empty_woken, way::joined, way::ended, way::failed, way::nested}) {
      std::unique_ptr<typename on::bubble> b, inner;
      on::run(e, machine_of(s.workers), [&] {
        b = std::make_unique<typename on::bubble>();
        if (w == way::nested) {
          inner = std::make_unique<typename on::bubble>();
          inner->spawn([] {});
          b->insert(*inner);
        }
        if (w == way::ended || w == way::joined) b->spawn([] {});
        if (w == way::failed) b->spawn([] { throw std::runtime_error("let out"); });
        if (w != way::empty) b->wake();
        if (w == way::joined) b->join();
      });
      on::run(e, machine_of(s.workers), [&] {
        typename on::thread t([] {});
        t.join();
        typename on::thread late(on::held, [] {});
        EXPECT_THROW(b->insert(late), std::logic_error) << "it belongs to another call";
        EXPECT_THROW(b->spawn([] {}), std::logic_error);
      });
      if (w == way::failed) {
        EXPECT_THROW(b->join(), std::runtime_error);
      } else if (w == way::ended) {
        b->join();
      }
      b.reset();
      inner.reset();
    }
  });
}

// A thread of the program drops a thread that never began, while the last others end.
TEST(unbegun, a_stranger_may_drop_a_thread_when_all_is_over) {
  engine e(shape{2});
  for (int i = 0; i < leat_test::reps(100); ++i) {
    std::thread stranger;
    std::optional<typename on::bubble> b;
    try {
      on::run(e, "pu:2", [&] {
        typename on::thread t(on::held, [] {});
        b.emplace();
        if (i % 2 == 0) b->insert(t);
        else b->spawn([] {});
        stranger = std::thread([&b, t = std::move(t)]() mutable {
          {
            const typename on::thread dropped(std::move(t));
          }
          b.reset();
        });
      });
    } catch (const std::logic_error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("never began"));
    }
    stranger.join();
  }
}

// A bubble that a thread of the program wakes is executed, or the one or the other is told.
TEST(unbegun, a_stranger_may_wake_a_bubble_until_all_is_over) {
  engine e(shape{2});
  for (int i = 0; i < leat_test::reps(100); ++i) {
    std::thread stranger;
    std::optional<typename on::bubble> b;
    bool run_told = false, stranger_told = false;
    std::atomic<int> ran{0};
    try {
      on::run(e, "pu:2", [&] {
        b.emplace();
        b->spawn([&] { ++ran; });
        stranger = std::thread([&] {
          try {
            b->wake();
          } catch (const std::logic_error&) {
            stranger_told = true;
          }
        });
        if (i % 2 == 0) on::thread::yield();
      });
    } catch (const std::logic_error&) {
      run_told = true;
    }
    stranger.join();
    EXPECT_EQ(stranger_told, run_told);
    EXPECT_EQ(ran, run_told ? 0 : 1);
  }
}

}  // namespace
