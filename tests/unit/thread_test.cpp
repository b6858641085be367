// User-level threads: each runs to its end once, on whatever worker; what blocks them leaves the worker to others.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "carried.hpp"
#include "leat/bubble.hpp"
#include "leat/thread.hpp"

namespace {

using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;

TEST(threads, run_once_each_and_are_joined) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    std::vector<std::atomic<int>> times(static_cast<std::size_t>(reps(500)));
    on::run(e, machine_of(s.workers), [&] {
      std::vector<typename on::thread> all;
      for (auto& t : times) all.emplace_back([&t] { ++t; });
      for (auto& t : all) t.join();
      for (auto& t : times) EXPECT_EQ(t, 1);
    });
  });
}

TEST(threads, end_before_run_threads_does_though_nobody_joins_them) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    std::atomic<int> ended{0};
    on::run(e, machine_of(s.workers), [&] {
      for (int i = 0; i < 20; ++i) {
        typename on::thread([&] {
          for (int k = 0; k < 5; ++k) on::thread::yield();
          typename on::thread([&] { ++ended; }).detach();
        }).detach();
      }
    });
    EXPECT_EQ(ended, 20);
  });
}

TEST(threads, give_way_in_turns_on_one_worker) {
  using on = leat_test::carried<engine>;
  engine e(shape{1});
  std::string order;
  on::run(e, "pu:1", [&] {
    std::vector<typename on::thread> all;
    for (const char name : {'a', 'b', 'c'}) {
      all.emplace_back([&order, name] {
        for (int i = 0; i < 3; ++i) {
          order += name;
          on::thread::yield();
        }
      });
    }
    for (auto& t : all) t.join();
  });
  EXPECT_EQ(order, "abcabcabc");
}

TEST(threads, of_higher_priority_go_first) {
  using on = leat_test::carried<engine>;
  engine e(shape{1});
  std::string order;
  on::run(e, "pu:1", [&] {
    std::vector<typename on::thread> all;
    for (const int priority : {-1, 3, 1, 3, 2}) {
      all.emplace_back([&order, priority] { order += std::to_string(priority) + " "; },
                       leat::thread_options{.priority = priority});
    }
    on::thread::yield();
    EXPECT_EQ(order, "3 3 2 1 ") << "those above the one that yields";
    for (auto& t : all) t.join();
  });
  EXPECT_EQ(order, "3 3 2 1 -1 ");
}

TEST(threads, exclude_each_other_by_a_mutex_across_yields) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    long sum = 0;
    bool inside = false;
    const int rounds = reps(50);
    on::run(e, machine_of(s.workers), [&] {
      typename on::mutex mutex;
      std::vector<typename on::thread> all;
      for (int i = 0; i < 16; ++i) {
        all.emplace_back([&] {
          for (int k = 0; k < rounds; ++k) {
            const std::lock_guard lock(mutex);
            EXPECT_FALSE(std::exchange(inside, true));
            on::thread::yield();
            ++sum;
            inside = false;
          }
        });
      }
      for (auto& t : all) t.join();
      EXPECT_TRUE(mutex.try_lock());
      EXPECT_FALSE(mutex.try_lock());
    });
    EXPECT_EQ(sum, 16L * rounds);
  });
}

TEST(threads, meet_at_a_barrier_again_and_again) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    constexpr int parts = 12;
    const int rounds = reps(100);
    std::atomic<int> came{0}, last{0};
    on::run(e, machine_of(s.workers), [&] {
      typename on::barrier barrier(parts);
      std::vector<typename on::thread> all;
      for (int i = 0; i < parts; ++i) {
        all.emplace_back([&] {
          for (int k = 1; k <= rounds; ++k) {
            ++came;
            last += barrier.arrive_and_wait();
            EXPECT_GE(came, k * parts);
            EXPECT_LT(came, (k + 1) * parts + 1);
          }
        });
      }
      for (auto& t : all) t.join();
    });
    EXPECT_EQ(came, parts * rounds);
    EXPECT_EQ(last, rounds) << "one is the last each time";
  });
}

TEST(threads, wait_for_a_condition) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    const int items = reps(300);
    long sum = 0;
    on::run(e, machine_of(s.workers), [&] {
      typename on::mutex mutex;
      typename on::condition filled, emptied;
      std::vector<int> box;  // at most one
      typename on::thread producer([&] {
        for (int i = 1; i <= items; ++i) {
          const std::lock_guard lock(mutex);
          emptied.wait(mutex, [&] { return box.empty(); });
          box.push_back(i);
          filled.notify_all();
        }
      });
      std::vector<typename on::thread> consumers;
      for (int c = 0; c < 3; ++c) {
        consumers.emplace_back([&] {
          for (int i = 0; i < items / 3; ++i) {
            const std::lock_guard lock(mutex);
            filled.wait(mutex, [&] { return !box.empty(); });
            sum += box.back();
            box.pop_back();
            emptied.notify_one();
          }
        });
      }
      for (auto& t : consumers) t.join();
      producer.join();
    });
    EXPECT_EQ(sum, items * (items + 1L) / 2);
  });
}

TEST(threads, sleep_until_woken_and_a_wake_is_kept) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    const int rounds = reps(100);
    int turns = 0;
    on::run(e, machine_of(s.workers), [&] {
      typename on::thread ping, pong;
      typename on::bubble both;  // begins them when both have their names
      ping = typename on::thread(on::held, [&] {
        for (int i = 0; i < rounds; ++i) {
          on::thread::sleep();
          ++turns;
          pong.wake();
        }
      });
      pong = typename on::thread(on::held, [&] {
        for (int i = 0; i < rounds; ++i) {
          ping.wake();
          on::thread::sleep();
          ++turns;
        }
      });
      both.insert(ping);
      both.insert(pong);
      both.wake();
      ping.join();
      pong.join();
      both.join();
    });
    EXPECT_EQ(turns, 2 * rounds);
  });
}

TEST(threads, throw_to_who_joins_them) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    on::run(e, machine_of(s.workers), [&] {
      typename on::thread thrower([] { throw std::runtime_error("thrown"); });
      EXPECT_THROW(thrower.join(), std::runtime_error);
      EXPECT_FALSE(thrower.joinable());
    });
    EXPECT_THROW(on::run(e, machine_of(s.workers), [] { throw std::range_error("first"); }), std::range_error);
    EXPECT_THROW(on::run(e, machine_of(s.workers), [] { typename on::thread([] { throw 7; }).detach(); }), int);
    EXPECT_THROW(on::run(e, machine_of(s.workers),
                         [] {
                           typename on::thread thrower([] { throw 7; });
                           for (int i = 0; i < 100; ++i) on::thread::yield();  // so that most have ended
                           thrower.detach();
                         }),
                 int);
  });
}

TEST(threads, handle_exceptions_across_switches) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    on::run(e, machine_of(s.workers), [&] {
      std::vector<typename on::thread> all;
      for (int i = 0; i < 8; ++i) {
        all.emplace_back([i] {
          for (int k = 0; k < 10; ++k) {
            try {
              throw i * 100 + k;
            } catch (int) {
              on::thread::yield();
              try {
                throw;
              } catch (int again) {
                EXPECT_EQ(again, i * 100 + k) << "each thread has its own exceptions in flight";
              }
            }
          }
        });
      }
      for (auto& t : all) t.join();
    });
  });
}

TEST(threads, fork_loop_and_wait_for_futures_inside) {
  using on = leat_test::carried<engine>;
  struct sums {
    static long of(int n) {
      if (n == 0) return 1;
      auto [a, b] = engine::fork_join([=] { return of(n - 1); }, [=] { return of(n - 1); });
      return a + b;
    }
  };
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    std::atomic<long> all_of_them{0};
    on::run(e, machine_of(s.workers), [&] {
      std::vector<typename on::thread> all;
      for (int i = 0; i < 8; ++i) {
        all.emplace_back([&] {
          long sum = sums::of(6);
          on::thread::yield();
          std::array<long, 64> squares{};
          engine::parallel_for(0, 64, [&](int k) { squares[static_cast<std::size_t>(k)] = k; });
          sum += std::accumulate(squares.begin(), squares.end(), 0L);
          on::thread::yield();
          auto later = engine::async([] { return sums::of(3); });
          on::thread::yield();
          sum += later.get();
          engine::task_group group;
          std::atomic<long> grouped{0};
          for (int k = 0; k < 5; ++k) group.spawn([&] { ++grouped; });
          group.wait();
          all_of_them += sum + grouped;
        });
      }
      for (auto& t : all) t.join();
    });
    EXPECT_EQ(all_of_them, 8 * (64 + 2016 + 8 + 5));
  });
}

// THREAD-6: in such places a thread does not leave its worker, or the frames around would use that of another.
TEST(threads, stay_where_their_frames_know_the_worker) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    on::run(e, machine_of(s.workers), [&] {
      std::vector<typename on::thread> all;
      for (int i = 0; i < 6; ++i) {
        all.emplace_back([] {
          const auto stays = [] {
            const auto before = engine::here();
            for (int k = 0; k < 3; ++k) on::thread::yield();
            EXPECT_EQ(engine::here(), before);
          };
          engine::fork_join(stays, [] {});
          engine::parallel_for(0, 3, [&](int) { stays(); });
          engine::with_context([&](engine::context c) {
            stays();
            engine::fork_join(c, [](engine::context) {}, [](engine::context) {});
          });
          engine::async(stays).get();
          on::thread::yield();
        });
      }
      for (auto& t : all) t.join();
    });
  });
}

// THREAD-7: a wait in such a place blocks the worker, and what it waits for is executed by who stands in.
TEST(threads, block_the_worker_where_they_must_and_another_stands_in) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({1, 2, 3}), [](engine& e, const shape& s) {
    on::run(e, machine_of(s.workers), [&] {
      typename on::mutex mutex;
      typename on::condition set;
      bool is_set = false;
      typename on::thread waits([&] {
        engine::fork_join(
            [&] {
              const std::lock_guard lock(mutex);
              set.wait(mutex, [&] { return is_set; });
            },
            [] {});
      });
      typename on::thread sets([&] {
        on::thread::yield();
        const std::lock_guard lock(mutex);
        is_set = true;
        set.notify_all();
      });
      waits.join();
      sets.join();
    });
  });
}

TEST(threads_public, are_what_the_headers_say) {
  leat::options o;
  o.workers = 2;
  leat::runtime rt(o);
  const int made = rt.run([] {
    return leat::run_threads([] {
      leat::mutex mutex;
      leat::condition all_came;
      leat::thread_barrier both(2);
      int came = 0;
      leat::bubble pair;
      for (int i = 0; i < 2; ++i) {
        pair.spawn([&] {
          both.arrive_and_wait();
          const std::lock_guard lock(mutex);
          ++came;
          all_came.notify_one();
        });
      }
      pair.wake();
      {
        const std::lock_guard lock(mutex);
        all_came.wait(mutex, [&] { return came == 2; });
      }
      pair.join();
      leat::thread t(leat::held, [&] { came = 7; });
      leat::bubble alone;
      alone.insert(t);
      alone.wake();
      t.join();
      alone.join();
      leat::thread::yield();
      return came;
    });
  });
  EXPECT_EQ(made, 7);
}

TEST(threads, say_what_is_wrong) {
  using on = leat_test::carried<engine>;
  EXPECT_THROW(typename on::thread([] {}), std::logic_error) << "outside of run_threads";
  EXPECT_THROW(on::run_on("pu:1", [] {}), leat::not_a_worker);
  EXPECT_THROW(typename on::barrier(0), std::invalid_argument);
  on::thread::yield();  // does nothing here
  engine e(shape{2});
  e.run([] { EXPECT_THROW(typename on::thread([] {}), std::logic_error); });
  on::run(e, "pu:2", [] {
    for (const std::size_t bytes : {5000, 0})
      EXPECT_THROW(typename on::thread([] {}, {.stack_bytes = bytes}), std::invalid_argument);
    typename on::thread none;
    EXPECT_THROW(none.join(), std::logic_error);
    EXPECT_THROW(none.wake(), std::logic_error);
    typename on::thread kept(on::held, [] {});
    EXPECT_THROW(kept.join(), std::logic_error) << "nobody would release it";
  });
}

TEST(threads, take_stacks_of_any_size) {
  using on = leat_test::carried<engine>;
  engine e(shape{2});
  on::run(e, "pu:2", [] {
    for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{8} << 20}) {
      typename on::thread t(
          [bytes] {
            volatile char used[32 << 10];
            used[0] = static_cast<char>(bytes);
            on::thread::yield();
            EXPECT_EQ(used[0], static_cast<char>(bytes));
          },
          {.stack_bytes = bytes});
      t.join();
    }
  });
}

TEST(threads, are_destroyed_only_when_joined_or_detached) {
  using on = leat_test::carried<engine>;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        engine e(shape{1});
        on::run(e, "pu:1", [] { typename on::thread([] {}); });
      },
      "neither joined nor detached");
}

int deeper(int n) {
  volatile char frame[512];
  frame[0] = static_cast<char>(n);
  return n == 0 ? 0 : deeper(n - 1) + frame[0];
}

TEST(threads, that_come_to_the_end_of_their_stack_are_named) {
  using on = leat_test::carried<engine>;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        engine e(shape{2});
        on::run(e, "pu:2", [] {
          typename on::thread t([] { std::printf("%d", deeper(1 << 20)); }, {.stack_bytes = 65536});
          t.join();
        });
      },
      "leat: thread 1 has come to the end of its stack of 65536 bytes");
}

[[gnu::noinline]] int leaps(int n) {
  volatile char frame[70'000];  // of which the far end alone is touched
  frame[0] = static_cast<char>(n);
  return n == 0 ? 0 : leaps(n - 1) + frame[0];
}

TEST(threads, do_not_leap_from_their_stacks_into_others) {
  using on = leat_test::carried<engine>;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        engine e(shape{1});
        on::run(e, "pu:1", [] {
          typename on::thread t([] { std::printf("%d", leaps(5)); }, {.stack_bytes = 65536});
          t.join();
        });
      },
      "leat: thread 1 has come to the end of its stack of 65536 bytes");
}

}  // namespace
