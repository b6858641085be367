// What async takes and how it calls it: callables of every kind, arguments, and what becomes of them.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "leat/platform/counted.hpp"

namespace {

using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::shape;
using leat_test::shapes;

int twice(int i) { return 2 * i; }
int seven() noexcept { return 7; }

struct account {
  int balance = 5;
  int plus(int i) const { return balance + i; }
};

// Each way in which a task comes to be run: by its future at once, by its future later, by its record, after the run.
template <class E, class Make, class Check>
void each_way(Make make, Check check) {
  on_each_shape<E>(shapes({1, 2, 8}), [&](E& e, const shape&) {
    e.run([&] {
      auto at_once = make();
      check(at_once.get());
      auto waited_for = make();
      waited_for.wait();
      check(waited_for.get());
      auto beneath = make();
      E::spawn([] {});
      check(beneath.get());
      auto passed_on = E::async([f = make()]() mutable { return f.get(); });
      check(passed_on.get());
      auto by_record = make();
      E::barrier();
      check(by_record.get());
    });
    auto late = e.run([&] { return make(); });
    check(late.get());
  });
}

TEST(async, calls_functions_and_members) {
  each_way<engine>([] { return engine::async(seven); }, [](int got) { EXPECT_EQ(got, 7); });
  each_way<engine>([] { return engine::async(&twice, 4); }, [](int got) { EXPECT_EQ(got, 8); });
  const account a;
  each_way<engine>([&] { return engine::async(&account::plus, &a, 3); }, [](int got) { EXPECT_EQ(got, 8); });
  each_way<engine>([&] { return engine::async(&account::plus, a, 4); }, [](int got) { EXPECT_EQ(got, 9); });
  each_way<engine>([&] { return engine::async(&account::balance, std::cref(a)); },
                   [](const int& got) { EXPECT_EQ(got, 5); });
  each_way<engine>([] { return engine::async(std::function<int(int)>(twice), 5); },
                   [](int got) { EXPECT_EQ(got, 10); });
}

TEST(async, copies_or_moves_the_callable_and_the_arguments_into_the_task) {
  each_way<engine>(
      [] {
        return engine::async(
            [own = std::make_unique<int>(1)](std::unique_ptr<int> i, std::string s, const std::vector<int>& v) {
              return std::to_string(*own + *i) + s + std::to_string(v.size());
            },
            std::make_unique<int>(2), "text", std::vector<int>(4));
      },
      [](const std::string& got) { EXPECT_EQ(got, "3text4"); });
  engine e(shape{1});
  e.run([] {
    std::string s(100, 'a');
    auto f = engine::async([](std::string&& mine) { return std::move(mine); }, s);
    s[0] = 'b';
    EXPECT_EQ(f.get(), std::string(100, 'a'));
    auto g = engine::async([](std::string& yours) -> std::string& { return yours; }, std::ref(s));
    static_assert(std::is_same_v<decltype(g.get()), std::string&>);
    EXPECT_EQ(&g.get(), &s);
  });
}

TEST(async, calls_once_as_an_rvalue) {
  struct only_once {
    std::unique_ptr<int> i = std::make_unique<int>(6);
    std::unique_ptr<int> operator()() && { return std::move(i); }
  };
  each_way<engine>([] { return engine::async(only_once{}); },
                   [](const std::unique_ptr<int>& got) { EXPECT_EQ(*got, 6); });
  each_way<engine>([] { return engine::async([n = 1]() mutable { return ++n; }); }, [](int got) { EXPECT_EQ(got, 2); });
}

TEST(async, has_room_for_callables_of_all_sizes) {
  const auto of_size = []<std::size_t N>(std::integral_constant<std::size_t, N>) {
    each_way<engine>(
        [] {
          std::array<unsigned char, N> ballast{};
          ballast.fill(3);
          return engine::async([ballast] { return ballast; });
        },
        [](const std::array<unsigned char, N>& got) {
          for (const unsigned char c : got) ASSERT_EQ(c, 3);
        });
  };
  of_size(std::integral_constant<std::size_t, 1>());
  of_size(std::integral_constant<std::size_t, 24>());
  of_size(std::integral_constant<std::size_t, 100>());
  of_size(std::integral_constant<std::size_t, 5000>());
}

struct alignas(256) aligned {
  int value = 4;
};

TEST(async, respects_alignment) {
  each_way<engine>(
      [] {
        return engine::async([a = aligned{}] {
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&a) % alignof(aligned), 0u);
          return a;
        });
      },
      [](const aligned& got) { EXPECT_EQ(got.value, 4); });
}

// What the callable holds is destroyed exactly once, and before the wait for its result ends.
TEST(async, lets_go_of_what_the_callable_holds) {
  const auto held = std::make_shared<int>(0);
  each_way<engine>([&] { return engine::async([held](int) { return 1; }, 0); }, [&](int got) { EXPECT_EQ(got, 1); });
  EXPECT_EQ(held.use_count(), 1);
  on_each_shape<engine>(shapes({1, 2}), [&](engine& e, const shape&) {
    e.run([&] {
      for (int i = 0; i < 20; ++i) {
        auto f = engine::async([held] { throw 1; });
        if (i % 2 == 0) f.wait();
        EXPECT_THROW(f.get(), int);
        EXPECT_EQ(held.use_count(), 1);
      }
    });
  });
}

TEST(async, throws_what_copying_the_callable_throws) {
  struct no_copy {
    std::shared_ptr<int> held;
    explicit no_copy(std::shared_ptr<int> h) : held(std::move(h)) {}
    no_copy(const no_copy&) { throw std::runtime_error("no copy"); }
    void operator()() const {}
  };
  const auto held = std::make_shared<int>(0);
  engine e(shape{1});
  e.run([&] {
    const no_copy call(held);
    for (int i = 0; i < 10; ++i) EXPECT_THROW((void)engine::async(call), std::runtime_error);
    EXPECT_EQ(engine::async([] { return 3; }).get(), 3);
  });
  EXPECT_EQ(held.use_count(), 1);
}

TEST(async, a_task_that_is_called_by_its_future_is_a_task) {
  engine e(shape{1});
  e.run([] {
    auto barrier_in_a_task = engine::async([] { engine::barrier(); });
    EXPECT_THROW(barrier_in_a_task.get(), leat::misplaced_barrier);
    EXPECT_NO_THROW(engine::barrier()) << "the root is the root again, after an exception, too";
    engine::async([] {}).get();
    EXPECT_NO_THROW(engine::barrier());
  });
}

template <class E>
long fib(long n) {
  if (n < 2) return n;
  auto a = E::async(fib<E>, n - 1);
  const long b = fib<E>(n - 2);
  return a.get() + b;
}

TEST(async, calls_a_function_recursively) {
  on_each_shape<engine>(shapes(),
                        [](engine& e, const shape&) { EXPECT_EQ(e.run([] { return fib<engine>(12); }), 144); });
}

// The price of a future whose holder comes back for it first, as in a recursion: nothing that others could notice
// (FUTURE-4).
TEST(async_cost, no_fence_and_no_read_modify_write_when_nobody_steals) {
  if (leat_test::all_is_public()) return;  // others could
  using counting = leat_test::engine_on<leat::platform::counted>;
  using leat::platform::counted;
  counting e(shape{1});
  e.run([] {
    const auto spent = [](auto f) {
      f();  // what is allocated once
      const auto before = counted::counts();
      f();
      const auto c = counted::counts() - before;
      return c.fences + c.cas + c.rmw;
    };
    EXPECT_EQ(spent([] { EXPECT_EQ(counting::async([] { return 1; }).get(), 1); }), 0u);
    EXPECT_EQ(spent([] { EXPECT_EQ(fib<counting>(15), 610); }), 0u);
    EXPECT_EQ(spent([] {
                auto f = counting::async([] { return std::string(100, 'x'); });
                f.wait();
                EXPECT_TRUE(f.is_ready());
                EXPECT_EQ(f.get().size(), 100u);
              }),
              0u);
    EXPECT_EQ(spent([] {
                auto f = counting::async([] { throw 1; });
                EXPECT_THROW(f.get(), int);
              }),
              0u);
    // Beneath another task it must be claimed, and its record told: a compare-and-swap, and an exchange of each.
    EXPECT_EQ(spent([] {
                auto f = counting::async([] { return 1; });
                auto g = counting::async([] { return 1; });
                EXPECT_EQ(f.get() + g.get(), 2);
              }),
              3u);
  });
}

}  // namespace
