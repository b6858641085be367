// Exceptions in fork and join: the first in order wins, what was not begun is not executed, what was begun is joined.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <unwind.h>

#include "engines.hpp"
#include "meeting.hpp"

namespace {

using leat_test::engine;
using leat_test::meeting;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::worker_shapes;

struct thrown : std::runtime_error {
  explicit thrown(int n) : std::runtime_error("thrown " + std::to_string(n)), number(n) {}
  int number;
};

/// The number of what f throws; 0 if nothing.
template <class F>
int number_thrown(F f) {
  try {
    f();
  } catch (const thrown& e) {
    return e.number;
  }
  return 0;
}

/// An object of which none must be lost and none destroyed twice.
class census {
 public:
  explicit census(int v) : value(v) { ++alive; }
  census(census&& o) noexcept : value(std::exchange(o.value, -1)) { ++alive; }
  census(const census&) = delete;
  census& operator=(const census&) = delete;
  ~census() {
    EXPECT_EQ(mark_, here) << "destroyed twice, or never made";
    mark_ = gone;
    --alive;
  }
  static inline std::atomic<int> alive{0};
  int value;

 private:
  static constexpr std::uint32_t here = 0x4c656174, gone = 0xdeadbeef;
  std::uint32_t mark_ = here;
};

/// The same, too large for a slot.
struct large_census : census {
  using census::census;
  std::array<std::uint64_t, 20> ballast{};
};

/// Fork and join without a context, and with one.
template <class E>
struct plainly {
  template <class... F>
  static auto fork_join(F&&... f) {
    return E::fork_join(f...);
  }
};
template <class E>
struct with_context {
  template <class F>
  struct called_with {
    F& f;
    decltype(auto) operator()(typename E::context) const { return f(); }
  };
  template <class... F>
  static auto fork_join(F&&... f) {
    return E::with_context([&](typename E::context c) { return E::fork_join(c, called_with<F>{f}...); });
  }
};

/// Calls check(form) for both.
template <class E, class Check>
void in_both_forms(Check check) {
  {
    SCOPED_TRACE("plain form");
    check(plainly<E>());
  }
  {
    SCOPED_TRACE("context form");
    check(with_context<E>());
  }
}

TEST(fork_join_exception, comes_out_of_any_callable) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape& s) {
    for (int round = 0; round < reps(50); ++round) {
      e.run([&] {
        in_both_forms<engine>([&](auto form) {
          for (int who = 0; who < 5; ++who) {
            std::array<std::atomic<int>, 5> ran{};
            const auto f = [&](int i) {
              return [&, i] {
                ++ran[static_cast<std::size_t>(i)];
                if (i == who) throw thrown(i + 1);
                return census(i);
              };
            };
            EXPECT_EQ(number_thrown([&] { form.fork_join(f(0), f(1), f(2), f(3), f(4)); }), who + 1);
            for (int i = 0; i < 5; ++i) {
              const int times = ran[static_cast<std::size_t>(i)];
              if (i <= who) EXPECT_EQ(times, 1) << i << " of " << who;
              else EXPECT_LE(times, s.workers == 1 ? 0 : 1) << i << " of " << who << ": not begun, so not executed";
            }
            EXPECT_EQ(census::alive, 0);
          }
        });
      });
    }
  });
}

TEST(fork_join_exception, comes_out_of_the_second_that_a_thief_executes) {
  on_each_shape<engine>(worker_shapes({2, 3, 8, 64}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      e.run([&] {
        in_both_forms<engine>([&](auto form) {
          meeting<engine> both(2);
          const int number = number_thrown([&] {
            form.fork_join([&] { return both.attend(), census(1); },
                           [&]() -> large_census { both.attend(), throw thrown(2); });
          });
          EXPECT_EQ(number, 2);
          EXPECT_EQ(census::alive, 0);
        });
      });
    }
  });
}

TEST(fork_join_exception, the_first_in_order_wins) {
  on_each_shape<engine>(worker_shapes({2, 3, 8, 64}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      e.run([&] {
        in_both_forms<engine>([&](auto form) {
          meeting<engine> both(2);
          std::atomic<bool> second_threw{false};
          const int number = number_thrown([&] {
            form.fork_join(
                [&] {
                  both.attend();
                  while (!second_threw) std::this_thread::yield();
                  throw thrown(1);
                },
                [&] {
                  both.attend();
                  second_threw = true;
                  throw thrown(2);
                });
          });
          EXPECT_EQ(number, 1) << "though the second came first";
        });
      });
    }
  });
}

// A result that nobody will fetch: the thief has made it, and the first callable throws.
TEST(fork_join_exception, drops_what_thieves_made) {
  on_each_shape<engine>(worker_shapes({2, 8}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      e.run([&] {
        in_both_forms<engine>([&](auto form) {
          const auto drops = [&](auto make) {
            meeting<engine> both(2);
            const int number = number_thrown([&] {
              form.fork_join([&] { both.attend(), throw thrown(1); }, [&] { return both.attend(), make(); });
            });
            EXPECT_EQ(number, 1);
            EXPECT_EQ(census::alive, 0);
          };
          drops([] { return census(2); });
          drops([] { return large_census(2); });
        });
      });
    }
  });
}

// The thief goes on in the frame of who forked, who has thrown already. (ASan sees it if that frame is left too early.)
TEST(fork_join_exception, leaves_when_the_thief_has_finished) {
  on_each_shape<engine>(worker_shapes({2, 3, 8}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      e.run([&] {
        in_both_forms<engine>([&](auto form) {
          std::atomic<bool> finished{false};
          const int number = number_thrown([&] {
            std::array<volatile int, 100> frame{};
            meeting<engine> both(2);
            form.fork_join([&] { both.attend(), throw thrown(1); },
                           [&] {
                             both.attend();
                             const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
                             while (std::chrono::steady_clock::now() < end) {
                               for (volatile int& word : frame) word = word + 1;
                             }
                             finished = true;
                           });
          });
          EXPECT_EQ(number, 1);
          EXPECT_TRUE(finished);
        });
      });
    }
  });
}

TEST(fork_join_exception, comes_out_of_arrays) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape& s) {
    for (int round = 0; round < reps(20); ++round) {
      e.run([&] {
        constexpr int n = 16;
        std::array<std::atomic<int>, n> ran{};
        const int who = round % n;
        const auto f = [&](int i) {
          return [&ran, i, who] {
            ++ran[static_cast<std::size_t>(i)];
            if (i == who || i == who + 2) throw thrown(i + 1);
            return large_census(i);
          };
        };
        [&]<int... I>(std::integer_sequence<int, I...>) {
          std::array callables{f(I)...};
          EXPECT_EQ(number_thrown([&] { engine::fork_join(callables); }), who + 1);
        }(std::make_integer_sequence<int, n>());
        for (int i = 0; i < n; ++i) {
          const int times = ran[static_cast<std::size_t>(i)];
          if (i <= who) EXPECT_EQ(times, 1);
          else EXPECT_LE(times, s.workers == 1 ? 0 : 1);
        }
        EXPECT_EQ(census::alive, 0);
      });
    }
  });
}

// -- nested

/// What a tree of forks does, as a serial program and as a parallel one. Some nodes throw; some catch.
struct tree {
  std::uint64_t seed;
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
    return x ^ x >> 32;
  }
  bool throws(std::uint64_t node) const { return mixed(seed + node) % 40 == 0; }
  bool catches(std::uint64_t node) const { return mixed(seed + node) % 7 == 1; }
  static int number(std::uint64_t node) { return static_cast<int>(node & 0xffff) + 1; }

  template <class Both>
  int grow(std::uint64_t node, int depth, Both both) const {
    if (throws(node)) throw thrown(number(node));
    if (depth == 0) return 1;
    if (!catches(node)) return both(2 * node, 2 * node + 1, depth - 1);
    try {
      return both(2 * node, 2 * node + 1, depth - 1);
    } catch (const thrown& e) {
      return 1000 * e.number;
    }
  }

  int serial(std::uint64_t node, int depth) const {
    return grow(node, depth, [this](std::uint64_t a, std::uint64_t b, int d) { return serial(a, d) + serial(b, d); });
  }
  template <class E>
  int plain(std::uint64_t node, int depth) const {
    return grow(node, depth, [this](std::uint64_t a, std::uint64_t b, int d) {
      auto both =
          E::fork_join([=, this] { return census(plain<E>(a, d)); }, [=, this] { return census(plain<E>(b, d)); });
      return both.first.value + both.second.value;
    });
  }
  template <class E>
  int context(typename E::context c, std::uint64_t node, int depth) const {
    return grow(node, depth, [this, c](std::uint64_t a, std::uint64_t b, int d) {
      using in = typename E::context;
      auto both = E::fork_join(
          c, [=, this](in c1) { return census(context<E>(c1, a, d)); },
          [=, this](in c2) { return large_census(context<E>(c2, b, d)); });
      return both.first.value + both.second.value;
    });
  }
};

/// The result, or the number of what was thrown, made negative.
template <class F>
int outcome(F f) {
  try {
    return f();
  } catch (const thrown& e) {
    return -e.number;
  }
}

// Since the first in order wins, a parallel program throws what the serial one throws.
TEST(fork_join_exception, a_tree_throws_what_the_serial_program_throws) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(reps(60)); ++seed) {
      const tree t{seed << 20};
      constexpr int depth = 7;
      const int expected = outcome([&] { return t.serial(1, depth); });
      EXPECT_EQ(outcome([&] { return e.run([&] { return t.plain<engine>(1, depth); }); }), expected) << seed;
      EXPECT_EQ(outcome([&] {
                  return e.run([&] {
                    return engine::with_context([&](engine::context c) { return t.context<engine>(c, 1, depth); });
                  });
                }),
                expected)
          << seed;
      ASSERT_EQ(census::alive, 0);
    }
  });
}

template <class E>
void deep(int depth) {
  if (depth == 0) throw thrown(77);
  using context = typename E::context;
  if (depth % 2 == 0) E::fork_join([=] { deep<E>(depth - 1); }, [] { return census(1); });
  else E::fork_join([=](context) { deep<E>(depth - 1); }, [](context) { return large_census(1); });
}

TEST(fork_join_exception, passes_many_levels_and_leaves_all_as_new) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      EXPECT_EQ(number_thrown([&] { e.run([] { deep<engine>(100); }); }), 77);
      e.run([] {
        EXPECT_EQ(number_thrown([] { deep<engine>(100); }), 77);
        EXPECT_EQ(census::alive, 0);
        // The stacks of forks are empty: this is a root that may wait for all.
        engine::barrier();
        EXPECT_EQ(engine::fork_join([] { return 1; }, [] { return 2; }), (std::pair{1, 2}));
        engine::fork_join([](engine::context) {}, [] {});
        engine::barrier();
      });
    }
  });
}

// Results that throw when they are moved are lost with the exception, and no other.
TEST(fork_join_exception, comes_from_moving_a_result) {
  struct refuses {
    explicit refuses(int v) : here(v) {}
    refuses(refuses&& o) noexcept(false) : here(std::exchange(o.here.value, -1)) { throw thrown(5); }
    census here;
  };
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape& s) {
    e.run([&] {
      in_both_forms<engine>([&](auto form) {
        EXPECT_EQ(number_thrown([&] { form.fork_join([] { return census(0); }, [] { return refuses(1); }); }), 5);
        EXPECT_EQ(census::alive, 0);
        if (s.workers == 1) return;
        meeting<engine> both(2);
        EXPECT_EQ(number_thrown([&] {
                    form.fork_join([&] { return both.attend(), census(0); }, [&] { return both.attend(), refuses(1); });
                  }),
                  5);
        EXPECT_EQ(census::alive, 0);
      });
    });
  });
}

// As other languages throw them. Compilers differ in what such an exception is after a fork; that it leaves it they agree on.
TEST(fork_join_exception, may_be_none_of_cpp) {
  on_each_shape<engine>(worker_shapes({1}), [](engine& e, const shape&) {
    bool caught = false;
    e.run([&] {
      _Unwind_Exception foreign{};
      foreign.exception_class = 0x6c656174;
      try {
        engine::fork_join([&] { _Unwind_RaiseException(&foreign); }, [] {});
      } catch (...) {
        caught = true;
      }
    });
    EXPECT_TRUE(caught);
    EXPECT_EQ(e.run([] { return engine::fork_join([] { return 1; }, [] { return 2; }); }), (std::pair{1, 2}));
  });
}

// Where it has to travel, std::bad_exception stands for it: from a root, and from a thief.
TEST(fork_join_exception, is_a_bad_one_elsewhere_if_none_of_cpp) {
  on_each_shape<engine>(worker_shapes({2}), [](engine& e, const shape&) {
    _Unwind_Exception foreign{};
    foreign.exception_class = 0x6c656174;
    EXPECT_THROW(e.run([&] { _Unwind_RaiseException(&foreign); }), std::bad_exception);
    const auto by_a_thief = [&] {
      meeting<engine> both(2);
      engine::fork_join([&] { both.attend(); }, [&] { both.attend(), _Unwind_RaiseException(&foreign); });
    };
    EXPECT_THROW(e.run(by_a_thief), std::bad_exception);
  });
}

}  // namespace
