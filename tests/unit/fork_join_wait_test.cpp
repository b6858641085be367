// What a worker does while it waits for what others execute: it helps with that, and with nothing else.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "guarded.hpp"
#include "leat/leat.hpp"
#include "meeting.hpp"

namespace {

using leat::wait;
using leat_test::engine;
using leat_test::guarded;
using leat_test::meeting;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::worker_shapes;

template <class E>
long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = E::fork_join([n] { return fib<E>(n - 1); }, [n] { return fib<E>(n - 2); });
  return a + b;
}

template <class E>
long fib(typename E::context c, int n) {
  using context = typename E::context;
  if (n < 2) return n;
  const auto [a, b] =
      E::fork_join(c, [n](context d) { return fib<E>(d, n - 1); }, [n](context d) { return fib<E>(d, n - 2); });
  return a + b;
}

template <class E>
long fib_in_context(int n) {
  return E::with_context([n](typename E::context c) { return fib<E>(c, n); });
}

// -- strangers

// Every stranger wants the mutex that the waiting ones hold.
TEST(fork_join_wait, a_mutex_may_be_held_across_it) {
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape&) {
    guarded one;
    const int outer = reps(60);
    const auto stranger = [&one] { one.hold([] {}); };
    e.run([&] {
      for (int i = 0; i < outer; ++i) {
        engine::spawn([&, i] {
          engine::spawn(stranger);
          one.hold([&] {
            for (int k = 0; k < 3; ++k) engine::spawn(stranger);
            EXPECT_EQ(i % 2 == 0 ? fib<engine>(10) : fib_in_context<engine>(10), 55);
          });
        });
      }
    });
    EXPECT_EQ(one.strangers, 0);
    EXPECT_EQ(one.held, 5 * outer);
  });
}

TEST(fork_join_wait, a_mutex_may_be_held_across_waits_of_other_kinds) {
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape&) {
    guarded one;
    const auto stranger = [&one] { one.hold([] {}); };
    const int outer = reps(60);
    e.run([&] {
      engine::task_group strangers;
      for (int i = 0; i < outer; ++i) {
        strangers.spawn([&, i] {
          engine::spawn(stranger);
          auto other = engine::async(stranger);
          one.hold([&] {
            engine::spawn(stranger);
            auto another = engine::async(stranger);
            if (i % 2 == 0) {
              auto f = engine::async([] { return fib<engine>(8); });
              EXPECT_EQ(f.get(), 21);
            } else {
              engine::task_group group;
              for (int k = 0; k < 4; ++k) group.spawn([] { EXPECT_EQ(fib_in_context<engine>(6), 8); });
              group.wait();
            }
          });
        });
      }
      strangers.wait();
    });
    EXPECT_EQ(one.strangers, 0);
    EXPECT_EQ(one.held, 5 * outer);
  });
}

// What waited for any task has asked for some, which may come when it waits for its own again.
TEST(fork_join_wait, a_mutex_may_be_held_after_a_wait_for_any) {
  on_each_shape<engine>(worker_shapes({2, 3, 8}), [](engine& e, const shape&) {
    guarded one;
    const int outer = reps(300);
    const auto stranger = [&one] { one.hold([] {}); };
    e.run([&] {
      for (int i = 0; i < outer; ++i) {
        engine::spawn([&] {
          auto f = engine::async([&] {
            for (int k = 0; k < 2; ++k) engine::spawn(stranger);
          });
          for (int k = 0; k < 100; ++k) engine::poll();
          f.wait(wait::any);
          one.hold([&] {
            for (int k = 0; k < 3; ++k) EXPECT_EQ(fib<engine>(5), 5);
          });
        });
      }
    });
    EXPECT_EQ(one.strangers, 0);
    EXPECT_EQ(one.held, 3 * outer);
  });
}

// What a callable spawns is not joined, so it is a stranger, too: at one worker it runs when the mutex is free.
TEST(fork_join_wait, a_mutex_may_be_held_while_the_callables_spawn) {
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape& s) {
    guarded one;
    const int outer = reps(20);
    const auto stranger = [&one] { one.hold([] {}); };
    for (int round = 0; round < outer; ++round) {
      e.run([&] {
        one.hold([&] {
          meeting<engine> both(s.workers == 1 ? 1 : 2);
          engine::fork_join([&] { static_cast<void>(s.workers == 1 || both.join()); },
                            [&] {
                              both.attend();
                              for (int k = 0; k < 3; ++k) engine::spawn(stranger);
                              const auto end = engine::platform::now_ns() + 500'000;
                              while (engine::platform::now_ns() < end) engine::poll();
                            });
        });
      });
    }
    EXPECT_EQ(one.strangers, 0);
    EXPECT_EQ(one.held, 4 * outer);
  });
}

/// Waits until flag is true, for ten seconds at most, and answers thieves meanwhile.
template <class E>
void until(const std::atomic<bool>& flag) {
  EXPECT_TRUE(leat_test::comes_true([&] { return E::poll(), flag.load(); }));
}

// One worker waits for s0, which another executes, and takes s2 in that wait. Who waits for s2, with the mutex, is not to
// be helped with the rest of s0, which wants the mutex.
TEST(fork_join_wait, what_came_in_a_wait_is_not_helped_by_what_is_waited_for) {
  on_each_shape<engine>(worker_shapes({3}), [](engine& e, const shape&) {
    guarded one;
    for (int round = 0; round < 20 && !::testing::Test::HasFailure(); ++round) {
      std::atomic<bool> s1_begun{false}, g_begun{false}, s2_begun{false}, f_forked{false}, s2_done{false};
      const auto s2 = [&] {
        s2_begun = true;
        until<engine>(f_forked);
        const auto end = engine::platform::now_ns() + 2'000'000;
        while (engine::platform::now_ns() < end) engine::poll();
        s2_done = true;
      };
      const auto g = [&] {
        g_begun = true;
        until<engine>(s2_begun);
        engine::fork_join([&] { f_forked = true, until<engine>(s2_done); }, [&] { one.hold([] {}); });
      };
      const auto s1 = [&] {
        s1_begun = true;
        engine::fork_join(
            [&] {
              until<engine>(g_begun);
              one.hold([&] { engine::fork_join([&] { until<engine>(s2_begun); }, s2); });
            },
            g);
      };
      const auto s0 = [&] { engine::fork_join([&] { until<engine>(s1_begun); }, s1); };
      e.run([&] { engine::fork_join([&] { until<engine>(s1_begun); }, s0); });
    }
    EXPECT_EQ(one.strangers, 0);
  });
}

thread_local int marked_by = 0;

TEST(fork_join_wait, strangers_leave_thread_locals_alone) {
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([] {
      for (int i = 1; i <= reps(200); ++i) {
        engine::spawn([i] {
          marked_by = i;
          for (int k = 0; k < 4; ++k) engine::spawn([] { marked_by = -1; });
          EXPECT_EQ(fib<engine>(8), 21);
          EXPECT_EQ(marked_by, i);
          EXPECT_EQ(fib_in_context<engine>(8), 21);
          EXPECT_EQ(marked_by, i);
        });
      }
    });
  });
}

// -- depth

TEST(fork_join_wait, waits_nest_no_deeper_than_the_program) {
  constexpr int depth = leat_test::sanitized ? 14 : 20;
  on_each_shape<engine>(worker_shapes({1, 2, 3, 8, 64}), [](engine& e, const shape& s) {
    e.run([] { fib<engine>(depth), fib_in_context<engine>(depth); });
    const auto nested = e.counters()[leat::event::waits_nested_max];
    EXPECT_LT(nested, static_cast<std::uint64_t>(depth));
    EXPECT_TRUE(nested == 0 || s.workers > 1) << "nothing to wait for";
  });
}

// -- help

/// Calls both in one of the forms, or as other constructs that wait.
enum class how { plain, context, future, group };

template <class E, class F, class G>
void call_both(how h, F f, G g) {
  using context = typename E::context;
  switch (h) {
    case how::plain: return E::fork_join(f, g);
    case how::context:
      return E::with_context([&](context c) { E::fork_join(c, [&](context) { f(); }, [&](context) { g(); }); });
    case how::future: {
      auto second = E::async(std::ref(g));
      f();
      return second.get();
    }
    case how::group: {
      typename E::task_group group;
      group.spawn(std::ref(g));
      f();
      return group.wait();
    }
  }
}

constexpr how all_ways[] = {how::plain, how::context, how::future, how::group};

/// As many callables as meet, all of them forked by one worker.
template <class E>
void meet(how h, meeting<E>& all, int count) {
  if (count == 1) return all.attend();
  call_both<E>(h, [&] { meet<E>(h, all, count - 1); }, [&] { all.attend(); });
}

// A waiter whose child was stolen is the only one left to take what that child forks.
TEST(fork_join_wait, a_waiter_helps_who_has_its_child) {
  on_each_shape<engine>(worker_shapes({2}), [](engine& e, const shape&) {
    for (const how outside : all_ways) {
      for (const how inside : all_ways) {
        SCOPED_TRACE(std::to_string(static_cast<int>(outside)) + " " + std::to_string(static_cast<int>(inside)));
        for (int round = 0; round < reps(5); ++round) {
          e.run([&] {
            const std::uint32_t waiter = engine::here();
            meeting<engine> both(2);
            std::atomic<bool> helped{false};
            call_both<engine>(
                outside, [&] { both.attend(); },
                [&] {
                  both.attend();
                  EXPECT_NE(engine::here(), waiter);
                  meeting<engine> again(2);
                  call_both<engine>(
                      inside, [&] { again.attend(); },
                      [&] {
                        again.attend();
                        helped = engine::here() == waiter;
                      });
                });
            EXPECT_TRUE(helped);
          });
        }
        if (::testing::Test::HasFailure()) return;
      }
    }
  });
}

// Its request is sent on along the chain of thieves: the last one's children need all workers, the waiting ones too.
// (Not where thieves take more than one: what lies in their deques is out of a waiter's reach.)
TEST(fork_join_wait, a_waiter_helps_who_has_its_childs_child) {
  for (const shape& s : worker_shapes({3, 8})) {
    SCOPED_TRACE(s.name());
    engine e(s, leat::protocol::strategy::steal_one);
    const int workers = static_cast<int>(s.workers);
    for (const how h : all_ways) {
      SCOPED_TRACE(static_cast<int>(h));
      for (int round = 0; round < reps(5) && !::testing::Test::HasFailure(); ++round) {
        e.run([&] {
          const auto link = [&](auto&& self, int left) -> void {
            if (left == 0) {
              meeting<engine> all(workers);
              return meet<engine>(h, all, workers);
            }
            meeting<engine> both(2);
            call_both<engine>(h, [&] { both.attend(); }, [&] { both.attend(), self(self, left - 1); });
          };
          link(link, workers - 1);
        });
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// -- where it is not right

TEST(fork_join_wait, is_not_for_a_blocked_worker) {
  engine e(shape{2});
  e.run([] {
    engine::blocking([] {
      EXPECT_THROW(engine::fork_join([] {}, [] {}), leat::not_a_worker);
      EXPECT_THROW(engine::fork_join([] {}, [] {}, [] {}), leat::not_a_worker);
      EXPECT_THROW(engine::fork_join([](engine::context) {}, [] {}), leat::not_a_worker);
      EXPECT_THROW(engine::with_context([](engine::context) {}), leat::not_a_worker);
    });
    engine::fork_join(
        [] { engine::blocking([] { EXPECT_THROW(engine::fork_join([] {}, [] {}), leat::not_a_worker); }); }, [] {});
  });
}

TEST(fork_join_wait, a_barrier_inside_a_callable_is_an_error) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    using context = engine::context;
    const auto barrier = [] { engine::barrier(); };
    for (int round = 0; round < reps(20); ++round) {
      e.run([&] {
        EXPECT_THROW(engine::fork_join(barrier, [] {}), leat::misplaced_barrier);
        EXPECT_THROW(engine::fork_join([](context) { engine::barrier(); }, [] {}), leat::misplaced_barrier);
        EXPECT_THROW(engine::fork_join([] {}, barrier, [] {}), leat::misplaced_barrier);
        engine::barrier();
      });
    }
  });
}

TEST(fork_join_wait, runtimes_nest) {
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape&) {
    engine inner(shape{2});
    const auto within = [&](int n) { return inner.run([n] { return fib<engine>(n) + fib_in_context<engine>(n); }); };
    for (int round = 0; round < reps(20); ++round) {
      const auto results = e.run([&] {
        return engine::fork_join([&] { return within(10) + fib<engine>(10); },
                                 [&] { return fib_in_context<engine>(10) + within(9); });
      });
      EXPECT_EQ(results, (std::pair{3 * 55L, 55L + 2 * 34}));
      const auto also = e.run([&] {
        return engine::fork_join([&](engine::context) { return within(8); },
                                 [&](engine::context c) { return within(7) + fib<engine>(c, 7); });
      });
      EXPECT_EQ(also, (std::pair{2 * 21L, 3 * 13L}));
    }
  });
}

}  // namespace
