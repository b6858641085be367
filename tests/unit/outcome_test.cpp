// What a future's task comes to, on its way from the task to the wait.
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include "leat/task/outcome.hpp"

namespace {

using leat::task::outcome;

// The waiter may destroy what the exception refers to: the worker that executed the task must have let go of it.
TEST(outcome, gives_its_exception_away) {
  const auto held = std::make_shared<int>(7);
  {
    auto sent = outcome<int>::of([&]() -> int { throw held; });
    EXPECT_EQ(held.use_count(), 2);
    {
      outcome<int> received(std::move(sent));
      try {
        std::move(received).take();
        ADD_FAILURE() << "a value";
      } catch (const std::shared_ptr<int>& caught) {
        EXPECT_EQ(*caught, 7);
      }
    }
    EXPECT_EQ(held.use_count(), 1) << "while the sender lives";
  }
}

TEST(outcome, gives_its_value_away) {
  auto sent = outcome<std::unique_ptr<int>>::of([] { return std::make_unique<int>(3); });
  auto received = outcome<std::unique_ptr<int>>::of([]() -> std::unique_ptr<int> { throw std::runtime_error("no"); });
  EXPECT_THROW(received.look(), std::runtime_error);
  received = std::move(sent);
  EXPECT_EQ(*std::move(received).take(), 3);
}

struct addressless {
  int value;
  void operator&() const = delete;
};

TEST(outcome, takes_what_has_no_address_operator) {
  auto sent = outcome<addressless>::of([] { return addressless{5}; });
  outcome<addressless> received(std::move(sent));
  EXPECT_EQ(std::move(received).take().value, 5);
}

TEST(outcome, takes_constants) {
  auto sent = outcome<const int>::of([] { return 6; });
  outcome<const int> received(std::move(sent));
  EXPECT_EQ(received.look(), 6);
}

// A type whose move may throw travels by pointer.
struct throwing_move {
  explicit throwing_move(int v) : value(v) {}
  throwing_move(throwing_move&& o) noexcept(false) : value(std::exchange(o.value, 0)) {}
  int value;
};

TEST(outcome, does_not_move_what_may_throw) {
  auto sent = outcome<throwing_move>::of([] { return throwing_move(8); });
  const throwing_move* const where = &sent.look();
  outcome<throwing_move> received(std::move(sent));
  EXPECT_EQ(&received.look(), where);
  EXPECT_EQ(std::move(received).take().value, 8);
}

}  // namespace
