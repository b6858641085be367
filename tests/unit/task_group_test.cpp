// Task groups: every task of a group is executed once, or skipped, before the wait for it ends.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat::wait;
using leat_test::comes_true;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

// How often each task ran. Plain numbers: TSan sees to it that the end of the wait is after every task.
using tallies = std::vector<int>;

std::size_t not_once(const tallies& ran) {
  std::size_t wrong = 0;
  for (const int times : ran) wrong += times != 1;
  return wrong;
}

TEST(task_group, runs_each_task_once_before_the_wait_ends) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group group;
      for (int round = 0; round < 3; ++round) {  // usable again after each wait
        tallies ran(static_cast<std::size_t>(reps(2000)));
        for (int& times : ran) group.spawn([&times] { ++times; });
        group.wait(round == 1 ? wait::any : wait::own);
        EXPECT_EQ(not_once(ran), 0u) << "of " << ran.size();
      }
    });
  });
}

TEST(task_group, runs_a_million_tasks) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    engine e(shape{workers});
    e.run([] {
      tallies ran(static_cast<std::size_t>(reps(1'000'000)));
      engine::task_group group;
      for (int& times : ran) group.spawn([&times] { ++times; });
      group.wait();
      EXPECT_EQ(not_once(ran), 0u);
    });
  }
}

// Node i has the children 3i + 1 to 3i + 3; whoever executes it spawns them into the one group.
template <class E>
void tree(typename E::task_group& group, tallies& ran, std::size_t i) {
  ++ran[i];
  for (std::size_t child = 3 * i + 1; child <= 3 * i + 3 && child < ran.size(); ++child) {
    group.spawn([&group, &ran, child] { tree<E>(group, ran, child); });
  }
}

TEST(task_group, its_tasks_spawn_into_it_on_any_worker) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      e.run([round] {
        tallies ran(1093);  // 1 + 3 + 9 + ... + 729
        engine::task_group group;
        tree<engine>(group, ran, 0);
        group.wait(round % 2 == 0 ? wait::own : wait::any);
        EXPECT_EQ(not_once(ran), 0u);
      });
    }
  });
}

template <class E>
int fib(int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
  typename E::task_group group;
  group.spawn([&a, n] { a = fib<E>(n - 1); });
  group.spawn([&b, n] { b = fib<E>(n - 2); });
  group.wait();
  return a + b;
}

TEST(task_group, nests_in_a_recursion) {
  const int n = leat_test::sanitized ? 12 : 17;
  const int expected = leat_test::sanitized ? 144 : 1597;
  on_each_shape<engine>(shapes(),
                        [=](engine& e, const shape&) { EXPECT_EQ(e.run([=] { return fib<engine>(n); }), expected); });
}

TEST(task_group, many_groups_of_one_worker_do_not_mix) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([] {
      std::array<engine::task_group, 7> groups;
      std::array<tallies, 7> ran;
      constexpr std::size_t each = 100;
      for (auto& r : ran) r.resize(each);
      for (std::size_t i = 0; i < each; ++i) {
        for (std::size_t g = 0; g < 7; ++g) groups[g].spawn([&ran, g, i] { ++ran[g][i]; });
      }
      for (const std::size_t g : {3u, 0u, 6u, 1u, 2u, 5u, 4u}) {
        groups[g].wait();
        EXPECT_EQ(not_once(ran[g]), 0u) << g;
      }
    });
  });
}

// -- strangers

TEST(task_group, a_wait_leaves_the_tasks_of_strangers_alone) {
  engine e(shape{1});
  e.run([] {
    std::vector<std::string> order;
    engine::task_group group;
    engine::task_group other;
    engine::spawn([&] { order.push_back("stranger"); });
    group.spawn([&] { order.push_back("first"); });
    other.spawn([&] { order.push_back("other"); });
    engine::spawn([&] { order.push_back("stranger"); });
    group.spawn([&] { order.push_back("second"); });
    engine::spawn([&] { order.push_back("stranger"); });
    group.wait();
    EXPECT_EQ(order, (std::vector<std::string>{"second", "first"}));
    other.wait();
    EXPECT_EQ(order.back(), "other");
    EXPECT_EQ(order.size(), 3u);
    engine::barrier();
    EXPECT_EQ(order.size(), 6u);
  });
  EXPECT_EQ(e.counters()[leat::event::tasks], 6u) << "a task taken from beneath others counts once";
}

TEST(task_group, a_wait_for_any_runs_strangers_too) {
  engine e(shape{1});
  e.run([] {
    int strangers = 0;
    engine::task_group group;
    group.spawn([] {});
    engine::spawn([&] { ++strangers; });
    group.wait(wait::any);
    EXPECT_EQ(strangers, 1);
  });
}

// Every task of the run wants the mutex that the waiting one holds. A wait that ran one of them would never end.
TEST(task_group, a_mutex_may_be_held_across_a_wait) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    std::mutex mutex;
    int guarded = 0;
    std::atomic<int> within{0};
    const int outer = reps(100);
    e.run([&] {
      for (int i = 0; i < outer; ++i) {
        engine::spawn([&] {
          const std::lock_guard<std::mutex> lock(mutex);
          ++guarded;
          engine::task_group group;
          for (int k = 0; k < 5; ++k) {
            group.spawn([&] { ++within; });
            engine::spawn([&] {
              const std::lock_guard<std::mutex> inner(mutex);
              ++guarded;
            });
          }
          group.wait();
        });
      }
    });
    EXPECT_EQ(guarded, 6 * outer);
    EXPECT_EQ(within, 5 * outer);
  });
}

// Thieves have stolen tasks of the group among others, in which they stay, as if in a lock that the waiter holds.
TEST(task_group, tasks_are_fetched_from_between_those_of_thieves_that_do_not_look) {
  for (const int workers : {2, 3, 8}) {
    const int pairs = 4 * workers, thieves = workers - 1;
    engine e(shape{static_cast<std::uint32_t>(workers)}, leat::protocol::strategy::steal_half);
    std::atomic<int> busy{0}, stuck{0}, within{0};
    std::atomic<bool> spawned{false}, done{false};
    e.run([&] {
      for (int i = 0; i < thieves; ++i) {
        engine::spawn([&] {
          ++busy;
          EXPECT_TRUE(comes_true([&] { return spawned.load(); }));
        });
      }
      EXPECT_TRUE(comes_true([&] { return engine::poll(), busy == thieves; }));
      engine::task_group group;
      for (int i = 0; i < pairs; ++i) {
        group.spawn([&] { ++within; });
        engine::spawn([&] {
          ++stuck;
          EXPECT_TRUE(comes_true([&] { return done.load(); }));
        });
      }
      spawned = true;
      EXPECT_TRUE(comes_true([&] { return engine::poll(), stuck == thieves; }));
      group.wait();
      EXPECT_EQ(within, pairs);
      EXPECT_EQ(stuck, thieves);
      done = true;
    });
    EXPECT_EQ(stuck, pairs);
    EXPECT_EQ(e.counters()[leat::event::tasks], static_cast<std::uint64_t>(thieves + 2 * pairs)) << "each once";
  }
}

// A task leaves many strangers between the tasks of the group; a search that began anew for each would not end in time.
TEST(task_group, a_wait_among_many_strangers_is_linear) {
  engine e(shape{1});
  const int n = reps(200'000);
  int strangers = 0;
  int own = 0;
  e.run([&] {
    engine::task_group group;
    const auto both = [&] {
      for (int i = 0; i < n; ++i) {
        group.spawn([&own] { ++own; });
        engine::spawn([&strangers] { ++strangers; });
      }
    };
    both();
    group.spawn(both);
    group.spawn(both);
    group.wait();
    EXPECT_EQ(own, 3 * n);
    EXPECT_EQ(strangers, 0);
  });
  EXPECT_EQ(strangers, 3 * n);
  EXPECT_EQ(e.counters()[leat::event::tasks], 6u * static_cast<unsigned>(n) + 2);
}

// Many short waits above many strangers: none of them may search the strangers.
TEST(task_group, a_wait_does_not_search_what_is_older_than_its_tasks) {
  engine e(shape{1});
  const int n = reps(100'000);
  int own = 0;
  e.run([&] {
    for (int i = 0; i < n; ++i) engine::spawn([] {});
    for (int i = 0; i < n; ++i) {
      engine::task_group group;
      group.spawn([&own] { ++own; });
      engine::spawn([] {});
      group.spawn([&own] { ++own; });
      group.wait();
    }
  });
  EXPECT_EQ(own, 2 * n);
}

// A task takes strangers away from above what has been searched, and puts tasks of the group in their place.
TEST(task_group, finds_tasks_where_strangers_were) {
  engine e(shape{1});
  e.run([] {
    int own = 0;
    engine::task_group group;
    std::array<std::optional<engine::future<int>>, 20> strangers;
    for (auto& f : strangers) {
      group.spawn([&] {
        ++own;
        // The newest of all tasks is one of these, once all that is above has been executed.
        for (std::size_t i = strangers.size(); i-- > 0;) {
          if (!strangers[i]) continue;
          EXPECT_EQ(strangers[i]->get(), 7);
          strangers[i].reset();
          break;
        }
        group.spawn([&own] { ++own; });
      });
      f = engine::async([] { return 7; });
    }
    group.wait();
    EXPECT_EQ(own, 40);
  });
}

struct bad : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// -- callables

// Counts those that live.
struct counted_callable {
  explicit counted_callable(std::atomic<int>& living, std::atomic<int>& r) : alive(&living), ran(&r) { ++*alive; }
  counted_callable(counted_callable&& o) noexcept : alive(o.alive), ran(o.ran) { ++*alive; }
  counted_callable(const counted_callable&) = delete;
  ~counted_callable() { --*alive; }
  void operator()() const { ++*ran; }

  std::atomic<int>* alive;
  std::atomic<int>* ran;
  std::unique_ptr<int> move_only;
};

TEST(task_group, callables_are_destroyed_once_also_when_skipped) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    std::atomic<int> alive{0};
    std::atomic<int> ran{0};
    e.run([&] {
      for (const bool cancelled : {false, true}) {
        engine::task_group group;
        if (cancelled) group.cancel();
        for (int i = 0; i < 100; ++i) group.spawn(counted_callable(alive, ran));
        group.wait();
        EXPECT_EQ(alive, 0);
        EXPECT_EQ(ran, 100);
      }
    });
  });
}

struct uncopyable_now {
  uncopyable_now() = default;
  uncopyable_now(const uncopyable_now&) { throw bad("no copy"); }
  void operator()() const { ADD_FAILURE(); }
};

int function_calls = 0;
void function() { ++function_calls; }

TEST(task_group, takes_any_callable) {
  engine e(shape{1});
  e.run([] {
    int sum = 0;
    engine::task_group group;
    std::array<std::uint64_t, 4> just_fits{1, 2, 3, 4};
    group.spawn([just_fits, &sum] { sum += static_cast<int>(just_fits[3]); });
    std::array<std::uint64_t, 5> too_big{1, 2, 3, 4, 10};
    group.spawn([too_big, &sum] { sum += static_cast<int>(too_big[4]); });
    struct alignas(32) aligned {
      int* sum;
      void operator()() const {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % 32, 0u);
        *sum += 100;
      }
    };
    group.spawn(aligned{&sum});
    const auto named = [&sum] { sum += 1000; };
    group.spawn(named);
    auto changing = [&sum, first = true]() mutable { sum += std::exchange(first, false) ? 10'000 : 0; };
    group.spawn(changing);
    group.spawn([&sum] { return sum += 100'000; });
    function_calls = 0;
    group.spawn(function);
    group.spawn(&function);
    group.wait();
    EXPECT_EQ(sum, 111'114);
    EXPECT_EQ(function_calls, 2);
    const uncopyable_now task;
    EXPECT_THROW(group.spawn(task), bad);
    group.wait();
  });
}

TEST(task_group, is_neither_copied_nor_moved) {
  using group = engine::task_group;
  static_assert(!std::is_copy_constructible_v<group> && !std::is_move_constructible_v<group>);
  static_assert(!std::is_copy_assignable_v<group> && !std::is_move_assignable_v<group>);
}

// -- misuse

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const std::logic_error& problem) {
    return problem.what();
  }
  return "nothing was thrown";
}

TEST(task_group, is_not_made_by_a_blocked_worker) {
  engine(shape{1}).run([] { engine::blocking([] { EXPECT_THROW(engine::task_group(), leat::not_a_worker); }); });
}

TEST(task_group, only_a_worker_of_the_run_spawns_and_only_the_owner_waits) {
  engine e(shape{2});
  engine other(shape{1});
  e.run([&] {
    engine::task_group group;
    std::atomic<bool> outside_asked{false};
    std::thread outside([&] {
      EXPECT_THROW(group.spawn([] {}), leat::not_a_worker);
      EXPECT_THROW(group.wait(), leat::not_a_worker);
      outside_asked = true;
    });
    outside.join();
    EXPECT_TRUE(outside_asked);
    other.run([&] {
      EXPECT_NE(message_of([&] { group.spawn([] {}); }).find("another runtime"), std::string::npos);
      EXPECT_NE(message_of([&] { group.wait(); }).find("only worker"), std::string::npos);
    });
    const std::uint32_t owner = engine::here();
    std::atomic<bool> asked{false};
    group.spawn([&] {
      EXPECT_NE(engine::here(), owner);
      const std::string said = message_of([&] { group.wait(); });
      EXPECT_NE(said.find("only worker " + std::to_string(owner)), std::string::npos) << said;
      asked = true;
    });
    EXPECT_TRUE(comes_true([&] { return engine::poll(), asked.load(); }));
    group.wait();
  });
}

TEST(task_group, a_task_that_waits_for_its_own_group_is_told) {
  engine e(shape{1});
  e.run([] {
    engine::task_group group;
    for (const wait how : {wait::own, wait::any}) {
      std::string said;
      group.spawn([&] { said = message_of([&] { group.wait(how); }); });
      group.wait();
      EXPECT_NE(said.find("waits for the group"), std::string::npos) << said;
    }
  });
}

TEST(task_group, a_task_of_a_group_is_not_the_root) {
  engine e(shape{1});
  e.run([] {
    engine::task_group group;
    group.spawn([] { EXPECT_THROW(engine::barrier(), leat::misplaced_barrier); });
    group.wait();
    group.spawn([] { EXPECT_THROW(engine::barrier(), leat::misplaced_barrier); });
    group.wait(wait::any);
    engine::barrier();  // the root still is
    group.spawn([] { throw bad("in a task"); });
    engine::barrier();  // executes it, and the exception is not the run's
    EXPECT_THROW(group.wait(), bad);
  });
}

TEST(task_group, an_empty_group_waits_for_nothing) {
  engine e(shape{1});
  e.run([] {
    engine::task_group group;
    group.wait();
    group.wait(wait::any);
    const engine::task_group never_used;
  });
}

TEST(task_group, with_one_worker_nothing_is_read_modified_and_written) {
  engine e(shape{1});
  const auto before = e.counters();
  e.run([] {
    for (int round = 0; round < 10; ++round) {
      engine::task_group group;
      for (int i = 0; i < 10'000; ++i) group.spawn([] {});
      group.wait();
    }
  });
  e.run([] {});
  const auto spent = e.counters() - before;
  EXPECT_EQ(spent[leat::event::tasks], 100'000u);
  if (leat_test::all_is_public()) return;  // a fence for each task
  EXPECT_LT(spent[leat::event::cas] + spent[leat::event::rmw] + spent[leat::event::fences], 100u) << "the run's own";
}

}  // namespace
