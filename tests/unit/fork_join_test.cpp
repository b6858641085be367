// Fork and join: what comes back, from whatever is called, wherever it is called.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "meeting.hpp"

namespace {

using leat_test::engine;
using leat_test::meeting;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::worker_shapes;

struct throws_when_moved {
  explicit throws_when_moved(int v) : value(v) {}
  throws_when_moved(throws_when_moved&& o) noexcept(false) : value(std::exchange(o.value, -1)) {}
  int value;
};

struct alignas(128) aligned {
  int value = 0;
  bool in_place() const { return reinterpret_cast<std::uintptr_t>(this) % 128 == 0; }
};

using big = std::array<std::uint64_t, 100>;
using just_fits = std::array<std::uint64_t, 6>;

// -- results

/// How `make` is called as the second callable: by the one that forks it, or certainly by another worker; with a context
/// or without.
enum class by { whoever, another, whoever_with_context, another_with_context };

template <class E, class Make>
auto forked(by whom, Make make) {
  using context = typename E::context;
  meeting<E> both(2);
  const bool stolen = whom == by::another || whom == by::another_with_context;
  const std::uint32_t here = E::here();
  const auto first = [&] { return !stolen || both.join(); };
  const auto second = [&]() -> decltype(auto) {
    if (stolen) {
      EXPECT_TRUE(both.join());
      EXPECT_NE(E::here(), here);
    }
    return make();
  };
  if (whom == by::whoever || whom == by::another) return E::fork_join(first, second);
  return E::with_context([&](context c) {
    return E::fork_join(c, [&](context) { return first(); }, [&](context) -> decltype(auto) { return second(); });
  });
}

template <class E>
void check_results(by whom) {
  int object = 3;
  {
    auto results = forked<E>(whom, [&] { object = 4; });
    static_assert(std::is_same_v<decltype(results), std::pair<bool, std::monostate>>);
    EXPECT_TRUE(results.first);
    EXPECT_EQ(object, 4);
  }
  EXPECT_EQ(forked<E>(whom, [] { return 42; }).second, 42);
  EXPECT_EQ(forked<E>(whom, [] { return std::string(100, 'x'); }).second, std::string(100, 'x'));
  EXPECT_EQ(*forked<E>(whom, [] { return std::make_unique<int>(7); }).second, 7);
  EXPECT_EQ(forked<E>(whom, [] { return just_fits{1, 2, 3, 4, 5, 6}; }).second, (just_fits{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(forked<E>(whom, [] { return big{1, 2, 3}; }).second, (big{1, 2, 3}));
  EXPECT_EQ(forked<E>(whom, [] { return throws_when_moved(8); }).second.value, 8);
  {
    auto results = forked<E>(whom, [] { return aligned{9}; });
    EXPECT_EQ(results.second.value, 9);
    EXPECT_TRUE(results.second.in_place());
  }
  {
    auto results = forked<E>(whom, [&]() -> int& { return object; });
    static_assert(std::is_same_v<decltype(results), std::pair<bool, int&>>);
    EXPECT_EQ(&results.second, &object);
  }
  EXPECT_EQ(&forked<E>(whom, [&]() -> const int& { return object; }).second, &object);
  {
    auto owner = std::make_unique<int>(5);
    auto results = forked<E>(whom, [&]() -> std::unique_ptr<int>&& { return std::move(owner); });
    static_assert(std::is_same_v<decltype(results), std::pair<bool, std::unique_ptr<int>>>, "nothing dangles");
    EXPECT_EQ(*results.second, 5);
    EXPECT_EQ(owner, nullptr);
  }
  EXPECT_NE(forked<E>(whom, [] { return std::make_exception_ptr(1); }).second, nullptr) << "as a value";
}

TEST(fork_join, brings_back_what_the_callables_return) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    e.run([] {
      check_results<engine>(by::whoever);
      check_results<engine>(by::whoever_with_context);
    });
  });
}

TEST(fork_join, brings_back_what_thieves_return) {
  on_each_shape<engine>(worker_shapes({2, 3, 8, 64}), [](engine& e, const shape&) {
    e.run([] {
      check_results<engine>(by::another);
      check_results<engine>(by::another_with_context);
    });
  });
}

TEST(fork_join, returns_nothing_where_there_is_nothing_to_return) {
  engine e(shape{2});
  e.run([] {
    int ran = 0;
    static_assert(std::is_void_v<decltype(engine::fork_join([] {}, [] {}))>);
    static_assert(std::is_void_v<decltype(engine::fork_join([] {}))>);
    static_assert(std::is_void_v<decltype(engine::fork_join([] {}, [](engine::context) {}))>);
    engine::fork_join([&] { ++ran; });
    EXPECT_EQ(ran, 1);
    static_assert(std::is_same_v<decltype(engine::fork_join([] { return 1; })), std::tuple<int>>);
    EXPECT_EQ(std::get<0>(engine::fork_join([] { return 1; })), 1);
  });
}

// -- callables

int five() { return 5; }
int six() { return 6; }

struct counts_copies {
  counts_copies() = default;
  counts_copies(const counts_copies& o) : copies(o.copies + 1) {}
  int operator()() { return ++calls, copies; }
  int copies = 0;
  int calls = 0;
};

// Trivially copyable, as far as the language knows, but not copyable.
struct only_moves {
  int value = 11;
  only_moves() = default;
  only_moves(only_moves&&) = default;
  only_moves(const only_moves&) = delete;
};

TEST(fork_join, calls_whatever_can_be_called) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    e.run([] {
      using context = engine::context;
      counts_copies f;
      counts_copies g;
      EXPECT_EQ(engine::fork_join(f, g), (std::pair{0, 0})) << "copied";
      EXPECT_EQ(engine::fork_join(counts_copies(), counts_copies()), (std::pair{0, 0})) << "copied";
      EXPECT_EQ(f.calls, 1);
      EXPECT_EQ(g.calls, 1) << "of a copy";

      int (*const pointer)() = six;
      EXPECT_EQ(engine::fork_join(five, pointer), (std::pair{5, 6}));
      EXPECT_EQ(engine::fork_join(pointer, five), (std::pair{6, 5})) << "a function by its name";
      EXPECT_EQ(engine::fork_join(five, six, five), (std::tuple{5, 6, 5}));

      const auto constant = [n = 3] { return n; };
      EXPECT_EQ(engine::fork_join(constant, constant), (std::pair{3, 3})) << "the same one twice";
      int count = 10;
      auto counting = [count]() mutable { return ++count; };
      EXPECT_EQ(engine::fork_join([] {}, counting).second, 11);
      EXPECT_EQ(engine::fork_join([] {}, counting).second, 12) << "of a copy";
      EXPECT_EQ(engine::fork_join([] {}, [count]() mutable { return ++count; }).second, 11);

      EXPECT_EQ(engine::fork_join([p = std::make_unique<int>(1)] { return *p; },
                                  [p = std::make_unique<int>(2)] { return *p; }),
                (std::pair{1, 2}));
      EXPECT_EQ(engine::fork_join([] {}, [m = only_moves()] { return m.value; }).second, 11);
      EXPECT_EQ(engine::fork_join([](context) {}, [m = only_moves()](context) { return m.value; }).second, 11);

      const aligned a{8};
      EXPECT_TRUE(engine::fork_join([] {}, [a] { return a.in_place(); }).second);
      EXPECT_TRUE(engine::fork_join([](context) {}, [a](context) { return a.in_place(); }).second);
      const big much{7, 8, 9};
      EXPECT_EQ(engine::fork_join([](context) {}, [much](context) { return much[2]; }).second, 9u);
    });
  });
}

TEST(fork_join, calls_others_callables_as_its_own) {
  on_each_shape<engine>(worker_shapes({2, 3, 8, 64}), [](engine& e, const shape&) {
    e.run([] {
      using context = engine::context;
      const auto stolen = [](auto&& g) {
        meeting<engine> both(2);
        std::uint32_t there = engine::here();
        auto results = engine::with_context([&](context c) {
          return engine::fork_join(
              c, [&](context) { EXPECT_TRUE(both.join()); },
              [&both, &there, &g](context) {
                EXPECT_TRUE(both.join());
                there = engine::here();
                return g();
              });
        });
        EXPECT_NE(there, engine::here());
        return results.second;
      };
      counts_copies g;
      EXPECT_EQ(stolen(g), 0);
      EXPECT_EQ(g.calls, 1);
      EXPECT_EQ(stolen(five), 5);
      EXPECT_EQ(stolen([m = only_moves()] { return m.value; }), 11);

      // Directly: a temporary that travels in the slot, and one that does not.
      meeting<engine> both(2);
      auto* const b = &both;
      const auto joins = [b](context) { EXPECT_TRUE(b->join()); };
      const just_fits small{0, 0, 0, 0, 4, 0};
      EXPECT_EQ(engine::fork_join(joins, [b, small](context) { return b->join() ? small[4] : 0; }).second, 4u);
      meeting<engine> again(2);
      const auto slotted = [m = &again, n = 17](context) { return m->join() ? n : 0; };
      EXPECT_EQ(engine::fork_join([m = &again](context) { return m->join(); },
                                  [m = &again, n = 17](context) { return m->join() ? n : 0; }),
                (std::pair{true, 17}));
      static_assert(sizeof(slotted) <= 48);
      meeting<engine> third(2);
      const aligned a{8};
      EXPECT_TRUE(engine::fork_join([&](context) { EXPECT_TRUE(third.join()); },
                                    [&third, a](context) { return third.join() && a.in_place(); })
                      .second);
    });
  });
}

// -- any number of them

template <class E>
void check_numbers() {
  using context = typename E::context;
  const auto n = [](int i) { return [i] { return i; }; };
  EXPECT_EQ(E::fork_join(n(1), n(2)), (std::pair{1, 2}));
  EXPECT_EQ(E::fork_join(n(1), n(2), n(3)), (std::tuple{1, 2, 3}));
  EXPECT_EQ(E::fork_join(
                n(1), [] {}, n(3), [](context) { return std::string("four"); }, n(5)),
            (std::tuple{1, std::monostate(), 3, std::string("four"), 5}));
  EXPECT_EQ(E::fork_join(n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9)),
            (std::tuple{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  int ran[9] = {};
  const auto mark = [&ran](int i) { return [&ran, i] { ++ran[i]; }; };
  E::fork_join(mark(0), mark(1), mark(2), mark(3), mark(4), mark(5), mark(6), mark(7), mark(8));
  for (const int times : ran) EXPECT_EQ(times, 1);
  int object = 0;
  auto refers = E::fork_join([&]() -> int& { return object; }, [] { return std::make_unique<int>(2); }, n(3));
  static_assert(std::is_same_v<decltype(refers), std::tuple<int&, std::unique_ptr<int>, int>>);
  EXPECT_EQ(&std::get<0>(refers), &object);
  EXPECT_EQ(*std::get<1>(refers), 2);
}

// Whatever a fork keeps in its slot, the slot is another fork's while the second callable executes.
TEST(fork_join, what_the_second_callable_captured_outlives_its_own_forks) {
  using E = engine;
  using context = typename E::context;
  for (const std::uint32_t workers : {1u, 2u}) {
    E e(shape{workers});
    long n = 40;  // not const: the callables are to have their own
    long k = 2;
    const auto plain = [n, k] {
      return E::fork_join([k] { return k; },
                          [n, k] {
                            E::fork_join([k] { return k; }, [k] { return 3 * k; });
                            return n;
                          });
    };
    const auto in_context = [n, k](context c) {
      return E::fork_join(
          c, [k](context) { return k; },
          [n, k](context inner) {
            E::fork_join(inner, [k](context) { return k; }, [k](context) { return 3 * k; });
            return n;
          });
    };
    EXPECT_EQ(e.run(plain), std::pair(k, n));
    EXPECT_EQ(e.run([&] { return E::with_context(in_context); }), std::pair(k, n));
  }
}

TEST(fork_join, takes_any_number_of_callables) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(50); ++round) e.run([] { check_numbers<engine>(); });
  });
}

TEST(fork_join, five_callables_meet_on_five_workers) {
  on_each_shape<engine>(worker_shapes({5, 8}), [](engine& e, const shape&) {
    e.run([] {
      using context = engine::context;
      meeting<engine> all(5);
      const auto joins = [&](int i) { return [&all, i] { return all.join() ? i : -1; }; };
      EXPECT_EQ(engine::fork_join(joins(1), joins(2), joins(3), joins(4), joins(5)), (std::tuple{1, 2, 3, 4, 5}));
      meeting<engine> again(5);
      const auto with = [&](int i) { return [&again, i](context) { return again.join() ? i : -1; }; };
      EXPECT_EQ(engine::fork_join(with(1), with(2), with(3), with(4), with(5)), (std::tuple{1, 2, 3, 4, 5}));
    });
  });
}

template <class E, std::size_t N, class... With>
void check_array(With... context) {
  std::array<int, N> ran{};
  const auto mark = [&ran](std::size_t i) { return [&ran, i](With...) { ++ran[i]; }; };
  const auto square = [&ran](std::size_t i) {
    return [&ran, i](With...) {
      ++ran[i];
      return std::to_string(i * i);
    };
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    std::array marks{mark(I)...};
    static_assert(std::is_void_v<decltype(E::fork_join(context..., marks))>);
    E::fork_join(context..., marks);
    std::array squares{square(I)...};
    const std::array<std::string, N> results = E::fork_join(context..., squares);
    for (std::size_t i = 0; i < N; ++i) {
      EXPECT_EQ(ran[i], 2) << i;
      EXPECT_EQ(results[i], std::to_string(i * i));
    }
  }(std::make_index_sequence<N>());
}

TEST(fork_join, takes_arrays_of_callables) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      e.run([] {
        check_array<engine, 1>();
        check_array<engine, 2>();
        check_array<engine, 7>();
        check_array<engine, 64>();
        engine::with_context([](context c) {
          check_array<engine, 1>(c);
          check_array<engine, 7>(c);
          check_array<engine, 64>(c);
        });
        // Those that need a context get one.
        const auto f = [](context) { return 1; };
        std::array three{f, f, f};
        EXPECT_EQ(engine::fork_join(three), (std::array{1, 1, 1}));
        // Neither default-constructible nor movable without throwing.
        const auto g = [] { return throws_when_moved(3); };
        std::array two{g, g};
        EXPECT_EQ(engine::fork_join(two)[1].value, 3);
      });
    }
  });
}

TEST(fork_join, an_array_of_eight_meets_on_eight_workers) {
  on_each_shape<engine>(worker_shapes({8, 64}), [](engine& e, const shape&) {
    e.run([] {
      meeting<engine> all(8);
      const auto joins = [&] { return all.join(); };
      std::array eight{joins, joins, joins, joins, joins, joins, joins, joins};
      const std::array<bool, 8> met = engine::fork_join(eight);
      EXPECT_EQ(met, (std::array{true, true, true, true, true, true, true, true}));
    });
  });
}

/// Leaves of a tree of this depth, each level of which has contexts of a type of its own where the compiler wants that.
template <class E>
inline std::int64_t leaves(auto c, int depth) {
  if (depth == 0) return 1;
  if (depth % 5 == 1) {
    const auto [a, b, d] = E::fork_join(
        c, [=](auto inner) { return leaves<E>(inner, depth - 1); }, [] { return std::int64_t{0}; },
        [=](auto inner) { return leaves<E>(inner, depth - 1); });
    return a + b + d;
  }
  const auto [a, b] = E::fork_join(
      c, [=](auto inner) { return leaves<E>(inner, depth - 1); },
      [=](typename E::context inner) { return leaves<E>(inner, depth - 1); });
  return a + b;
}

TEST(fork_join, contexts_may_be_taken_as_they_come) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    EXPECT_EQ(e.run([] { return engine::with_context([](auto c) { return leaves<engine>(c, 12); }); }), 4096);
    EXPECT_EQ(e.run([] { return engine::fork_join([](auto c) { return leaves<engine>(c, 3); }, [] { return 1; }); }),
              (std::pair<std::int64_t, int>{8, 1}));
  });
}

// The names in leat:: are the same, for the native platform.
TEST(fork_join, is_what_a_user_includes) {
  leat::runtime rt(leat::options{.workers = 2});
  rt.run([] {
    EXPECT_EQ(leat::fork_join([] { return 1; }, [](leat::context) { return 2; }), (std::pair{1, 2}));
    EXPECT_EQ(leat::fork_join(std::array{five, six}), (std::array{5, 6}));
    leat::with_context([](leat::context c) {
      EXPECT_EQ(leat::fork_join(c, [] { return 1; }, [](leat::context) { return 2; }), (std::pair{1, 2}));
      std::array named{five, six};
      EXPECT_EQ(leat::fork_join(c, named), (std::array{5, 6}));
      EXPECT_EQ(leat::fork_join(c, std::array{five, six}), (std::array{5, 6}));
      leat::fork_join(
          c,
          [](auto inner) {
            std::array again{five, six};
            EXPECT_EQ(leat::fork_join(inner, again), (std::array{5, 6}));
            EXPECT_EQ(leat::fork_join(inner, std::array{five, six}), (std::array{5, 6}));
          },
          [](auto) {});
    });
  });
}

}  // namespace
