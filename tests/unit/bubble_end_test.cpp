// The end of bubbles: exceptions, joining, and destroying.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "carried.hpp"

namespace {

using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::shape;

TEST(bubbles_at_their_end, give_the_first_exception_to_who_joins_them) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    std::atomic<int> ran{0};
    on::run(e, machine_of(s.workers), [&] {
      typename on::bubble b;
      for (int i = 0; i < 5; ++i) b.spawn([&] { ++ran, throw std::runtime_error("one of five"); });
      b.wake();
      EXPECT_THROW(b.join(), std::runtime_error);
      b.join();  // it is over
      EXPECT_EQ(ran, 5);
    });
  });
}

TEST(bubbles_at_their_end, give_the_exceptions_of_bubbles_in_them_to_who_joins_them) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    on::run(e, machine_of(s.workers), [] {
      typename on::bubble outer, middle, inner;
      inner.spawn([] { throw std::runtime_error("of the innermost"); });
      middle.insert(inner);
      outer.insert(middle);
      outer.wake();
      EXPECT_THROW(outer.join(), std::runtime_error);
    });
  });
}

TEST(bubbles_at_their_end, are_destroyed_only_when_joined_or_without_threads) {
  using on = leat_test::carried<engine>;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        engine e(shape{1});
        on::run(e, "pu:1", [] {
          typename on::bubble b;
          b.spawn([] {});
          b.wake();
        });
      },
      "leat::bubble is destroyed in which threads have not ended");
  engine e(shape{1});
  on::run(e, "pu:1", [] {
    typename on::bubble outer, joined;
    {
      typename on::bubble empty;
      outer.insert(empty);
    }
    joined.spawn([] {});
    joined.wake();
    joined.join();
    {
      typename on::bubble woken;
      woken.wake();
    }
    typename on::bubble done;
    typename on::thread ends(on::held, [] {});
    done.insert(ends);
    done.wake();
    ends.join();
  });
  const auto lets_out = [&] {
    on::run(e, "pu:1", [] {
      typename on::bubble b;
      b.spawn([] { throw std::runtime_error("lost"); });
      typename on::thread ends(on::held, [] {});
      b.insert(ends);
      b.wake();
      ends.join();  // after the other one
    });
  };
  EXPECT_THROW(lets_out(), std::runtime_error) << "what nobody joins for comes out of the run";
  const auto lets_out_of_inner = [&] {
    on::run(e, "pu:1", [] {
      typename on::bubble outer, inner;
      inner.spawn([] { throw std::runtime_error("lost"); });
      typename on::thread ends(on::held, [] {});
      inner.insert(ends);
      outer.insert(inner);
      outer.wake();
      ends.join();  // after the other one
    });
  };
  EXPECT_THROW(lets_out_of_inner(), std::runtime_error) << "from however far within";
}

TEST(bubbles_at_their_end, are_not_joined_from_within) {
  using on = leat_test::carried<engine>;
  engine e(shape{1});
  on::run(e, "pu:1", [] {
    typename on::bubble outer, inner;
    int told = 0;
    inner.spawn([&] {
      for (typename on::bubble* b : {&outer, &inner}) {
        try {
          b->join();
        } catch (const std::logic_error&) {
          ++told;
        }
      }
    });
    outer.insert(inner);
    outer.wake();
    outer.join();
    EXPECT_EQ(told, 2);
  });
}

}  // namespace
