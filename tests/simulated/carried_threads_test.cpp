// User-level threads and bubbles in worlds: each thread runs to its end once, no unit rests beside what waits in its reach, what
// moves does so a bounded number of times.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "carried_worlds.hpp"

namespace {

using namespace leat_test::carrying;
using leat::platform::relaxed;
using leat::threads::bubble_options;

TEST(carried_threads, run_once_each_and_meet_at_barriers) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::uint32_t workers = 1 + seed % 4;
    in_world(seed, workers, leat_test::machine_of(workers), [&] {
      constexpr std::uint32_t all = 6, rounds = 3;
      std::vector<std::uint32_t> times(all);
      std::vector<on::thread> threads;
      on::barrier barrier(all);
      on::mutex mutex;
      std::uint32_t sum = 0;
      for (std::uint32_t i = 0; i < all; ++i) {
        threads.emplace_back([&, i] {
          ++times[i];
          for (std::uint32_t k = 0; k < rounds; ++k) {
            mutex.lock();
            const std::uint32_t before = sum;
            on::thread::yield();
            sum = before + 1;
            mutex.unlock();
            barrier.arrive_and_wait();
            expect(sum >= all * (k + 1), "a barrier opened too early");
          }
        });
      }
      for (auto& t : threads) t.join();
      for (const std::uint32_t t : times) expect(t == 1, "a thread ran not once");
      expect(sum == all * rounds, "two threads held the mutex");
    });
  }
}

TEST(carried_threads, leave_no_unit_idle_beside_them) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::uint32_t workers = 2 + seed % 3;
    in_world(seed, workers, leat_test::machine_of(workers), [&] {
      for (int round = 0; round < 2; ++round) {
        meeting all(workers);
        std::vector<on::thread> threads;
        for (std::uint32_t i = 0; i < workers; ++i) threads.emplace_back([&] { all.attend(); });
        for (auto& t : threads) t.join();
      }
    });
  }
}

// THREAD-6: the group knows its worker. Where the thread waits, that blocks, and another worker compensates.
TEST(carried_threads, stay_while_their_groups_live) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::uint32_t workers = 1 + seed % 4;
    in_world(seed, workers, leat_test::machine_of(workers), [&] {
      constexpr std::uint32_t all = 5, tasks = 3;
      word ran{0};
      on::mutex mutex;
      const auto groups = [&](std::uint32_t number) {
        engine::task_group group;
        const auto unit = on::unit();
        for (std::uint32_t k = 0; k < tasks; ++k) group.spawn([&] { ran.fetch_add(1, relaxed); });
        for (std::uint32_t k = 0; k < 4; ++k) on::thread::yield();
        expect(on::unit() == unit, "a thread that has a group yielded, and left");
        mutex.lock();
        on::thread::yield();
        mutex.unlock();
        expect(on::unit() == unit, "a thread that has a group waited, and left");
        if (number % 2 == 0) throw number;
        group.wait();
      };
      std::vector<on::thread> threads;
      for (std::uint32_t i = 0; i < all; ++i) {
        threads.emplace_back([&, i] {
          try {
            groups(i);
          } catch (std::uint32_t thrown) {
            expect(thrown == i, "a thread caught another one's exception");
          }
        });
      }
      for (auto& t : threads) t.join();
      expect(ran.load(relaxed) == all * tasks, "a group did not wait for its tasks");
    });
  }
}

// Also where the thread has ended, and its group has not.
TEST(carried_threads, leave_again_when_their_groups_are_gone) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    in_world(seed, 1, "pu:1", [] {
      constexpr std::uint32_t yields_max = 10;
      std::unique_ptr<engine::task_group> left;
      on::thread leaves_one([&] { left = std::make_unique<engine::task_group>(); });
      leaves_one.join();
      word done{0};
      on::thread waits([&] {
        {
          engine::task_group group;
        }
        for (std::uint32_t k = 0; k < yields_max && done.load(relaxed) == 0; ++k) on::thread::yield();
        expect(done.load(relaxed) != 0, "a thread without a group does not give way");
      });
      on::thread goes_on([&] { done.store(1, relaxed); });
      waits.join();
      goes_on.join();
      left.reset();
      on::thread again([&] { done.store(2, relaxed); });
      for (std::uint32_t k = 0; k < yields_max && done.load(relaxed) != 2; ++k) on::thread::yield();
      expect(done.load(relaxed) == 2, "what another thread left keeps this one");
      again.join();
    });
  }
}

// What has not begun when all else has ended (THREAD-10).
TEST(carried_threads, that_never_began_are_told) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const std::uint32_t workers = 1 + seed % 3;
    in_run(seed, shape_with(workers, seed), [&] {
      std::unique_ptr<on::bubble> b;
      on::thread held;
      bool told = false;
      try {
        on::run_on(leat_test::machine_of(workers), [&] {
          b = std::make_unique<on::bubble>();
          for (int i = 0; i < 2; ++i) b->spawn([] { expect(false, "it began"); });
          held = on::thread(on::held, [] { expect(false, "it began"); });
          if (seed % 2 == 0) b->insert(held);
          on::thread other([] { on::thread::yield(); });
          other.join();
        });
      } catch (const std::logic_error&) {
        told = true;
      }
      expect(told, "threads that never began are forgotten");
    });
  }
}

TEST(carried_threads, sleep_and_wake_and_end) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    in_world(seed, 1 + seed % 3, "pu:3", [] {
      on::thread ping, pong;
      on::bubble both;  // begins them when both have their names
      std::uint32_t turns = 0;
      ping = on::thread(on::held, [&] {
        for (int i = 0; i < 5; ++i) {
          on::thread::sleep();
          ++turns;
          pong.wake();
        }
      });
      pong = on::thread(on::held, [&] {
        for (int i = 0; i < 5; ++i) {
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
      expect(turns == 10, "a wake was lost");
    });
  }
}

// THREAD-7
TEST(carried_threads, that_block_their_worker_have_another_compensate) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    in_world(seed, 1 + seed % 2, "pu:2", [] {
      on::mutex mutex;
      on::condition set;
      bool is_set = false;
      on::thread waits([&] {
        engine::fork_join(
            [&] {
              mutex.lock();
              set.wait(mutex, [&] { return is_set; });
              mutex.unlock();
            },
            [] {});
      });
      on::thread::yield();
      mutex.lock();
      is_set = true;
      set.notify_one();
      mutex.unlock();
      waits.join();
    });
  }
}

// Gangs with slices, in whose bubbles threads meet, end and are made, on machines of two levels.
TEST(carried_bubbles, lose_nobody_and_move_a_bounded_number_of_times) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const std::uint32_t workers = 1 + seed % 4;
    in_world(seed, workers, "numa:2 core:2 pu:1", [&] {
      constexpr std::uint32_t gangs_of = 2, parts_of = 2, threads_of = 2, rounds = 2;
      word ran{0};
      std::vector<std::unique_ptr<on::bubble>> gangs, parts;
      std::vector<std::unique_ptr<on::barrier>> barriers;
      for (std::uint32_t g = 0; g < gangs_of; ++g) {
        gangs.push_back(std::make_unique<on::bubble>(bubble_options{.slice_us = seed % 5 == 0 ? 0u : 1u}));
        barriers.push_back(std::make_unique<on::barrier>(parts_of * threads_of));
        for (std::uint32_t p = 0; p < parts_of; ++p) {
          parts.push_back(std::make_unique<on::bubble>());
          for (std::uint32_t i = 0; i < threads_of; ++i) {
            parts.back()->spawn([&, meets = barriers.back().get(), part = parts.back().get()] {
              for (std::uint32_t k = 0; k < rounds; ++k) {
                simulated::work_ns(300);
                if ((seed + k) % 2 == 0) on::thread::yield();
                else leat::task::poll<simulated>();
                meets->arrive_and_wait();
              }
              part->spawn([&] { ran.fetch_add(1, relaxed); });
              ran.fetch_add(1, relaxed);
            });
          }
          gangs.back()->insert(*parts.back());
        }
        gangs.back()->wake();
      }
      for (auto& g : gangs) g->join();
      expect(ran.load(relaxed) == 2 * gangs_of * parts_of * threads_of, "a thread ran not once");
      const auto counts = on::home().counts();
      // An idle unit takes over only what waits, and each thread waits so often.
      const std::uint64_t waits = gangs_of * parts_of * threads_of * (2 * rounds + 2);
      expect(counts.moves + counts.widenings <= waits, "bubbles were moved about");
      // All that has burst was woken, recalled or moved before, or was in such a bubble.
      expect(counts.bursts <= (1 + parts_of) * (gangs_of + counts.recalls + 2 * counts.moves),
             "bubbles burst too often");
    });
  }
}

// Z: what has burst on one unit is spread when another one is idle, whoever looks first.
TEST(carried_bubbles, reach_idle_units) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    in_world(seed, 2, "pu:2", [] {
      on::bubble b;
      meeting both(2);
      b.spawn([&] {
        b.spawn([&] { both.attend(); });
        both.attend();
      });
      b.wake();
      b.join();
    });
  }
}

}  // namespace
