// Compensating carriers for those that block (THREAD-7), and offers that come to workers that carry already (THREAD-8),
// in worlds.
#include <gtest/gtest.h>

#include <cstdint>
#include <new>

#include "carried_worlds.hpp"

namespace {

using namespace leat_test::carrying;
using leat::platform::relaxed;
using leat::threads::bubble_options;
using leat_test::shape;

// The thread's worker blocks: a fork is pending.
template <class F>
void keeping_the_worker(F f) {
  engine::fork_join(f, [] {});
}

shape with_spares(std::uint32_t workers, std::uint32_t spares, std::uint64_t seed) {
  shape s = shape_with(workers, seed);
  s.spares = spares;
  return s;
}

// The carrier of the other unit takes the stand-in's task in a rest. It must not be lost with that.
TEST(compensating_workers, of_a_bubble_on_one_unit_come_or_another_unit_takes_it) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    in_run(seed, with_spares(2, seed % 3, seed), [&] {
      on::run_on("numa:2 pu:1", [&] {
        on::barrier both(2);
        on::bubble b(bubble_options{.burst_level = "pu", .stays = seed % 2 == 0});
        b.spawn([&] {
          simulated::work_ns(30'000);
          keeping_the_worker([&] { both.arrive_and_wait(); });
        });
        b.spawn([&] { both.arrive_and_wait(); });
        b.wake();
        b.join();
      });
    });
  }
}

// A carrier that rests executes a task, and that waits for a thread on the unit's own list.
TEST(compensating_workers, for_a_task_in_a_rest_come_or_another_unit_takes_over) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    in_run(seed, with_spares(2, 0, seed), [&] {
      on::run_on("numa:2 pu:1", [&] {
        on::mutex wanted, gate;
        on::condition opened;
        bool open = false;
        word begun{0}, done{0};
        on::bubble b(bubble_options{.burst_level = "pu"});
        b.spawn([&] {
          wanted.lock();
          engine::spawn([&] {
            begun.store(1, relaxed);
            simulated::work_ns(5'000);
            wanted.lock();
            wanted.unlock();
            done.store(1, relaxed);
          });
          gate.lock();
          opened.wait(gate, [&] { return open; });
          gate.unlock();
          wanted.unlock();
        });
        b.wake();
        stay_until([&] { return begun.load(relaxed) != 0; }, "the task does not begin");
        simulated::work_ns(30'000);
        gate.lock();
        open = true;
        gate.unlock();
        opened.notify_one();
        b.join();
        stay_until([&] { return done.load(relaxed) != 0; }, "the task does not end");
      });
    });
  }
}

// The stand-in takes the fork that would have brought the other worker, which is busy with a task, to carry.
TEST(compensating_workers, keep_nobody_from_carrying) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    in_run(seed, with_spares(2, 2, seed), [&] {
      on::mutex m;
      word begun{0}, blocks{0};
      engine::spawn([&] {
        begun.store(1, relaxed);
        stay_until([&] { return blocks.load(relaxed) != 0; }, "nobody blocks");
        simulated::work_ns(100'000);
        m.unlock();
        simulated::work_ns(20'000);
      });
      stay_until([&] { return begun.load(relaxed) != 0; }, "the task does not begin");
      m.lock();
      on::run_on("pu:2", [&] {
        keeping_the_worker([&] {
          blocks.store(1, relaxed);
          m.lock();
        });
        meeting both(2);
        on::thread other([&] { both.attend(); });
        both.attend();
        other.join();
      });
      m.unlock();
    });
  }
}

// One that is told of a thread and dismissed in the same moment tells another one (THREAD-5).
TEST(compensating_workers, that_are_dismissed_leave_what_they_were_told_of_to_others) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    in_run(seed, with_spares(3, 3, seed), [&] {
      on::mutex first, second, gate;
      on::condition opened;
      bool open = false;
      word begun{0}, blocks{0}, there{0}, waits{0}, woken{0};
      engine::spawn([&] {  // by a worker that does not carry meanwhile
        begun.store(1, relaxed);
        stay_until([&] { return blocks.load(relaxed) == 2; }, "they do not block");
        simulated::work_ns(200'000);
        gate.lock();
        open = true;
        gate.unlock();
        opened.notify_one();
        first.unlock();
        stay_until([&] { return woken.load(relaxed) != 0; }, "a thread waits beside a carrier that rests");
        second.unlock();
      });
      stay_until([&] { return begun.load(relaxed) != 0; }, "the task does not begin");
      first.lock();
      second.lock();
      on::run_on("pu:3", [&] {
        on::thread blocked([&] {
          there.store(1, relaxed);
          stay_until([&] { return blocks.load(relaxed) != 0; }, "the other does not block");
          keeping_the_worker([&] {
            blocks.store(2, relaxed);
            second.lock();
          });
        });
        stay_until([&] { return there.load(relaxed) != 0; }, "the other worker takes no thread");
        on::thread waiting([&] {
          gate.lock();
          waits.store(1, relaxed);
          opened.wait(gate, [&] { return open; });
          gate.unlock();
          woken.store(1, relaxed);
        });
        while (waits.load(relaxed) == 0) on::thread::yield();
        keeping_the_worker([&] {
          blocks.store(1, relaxed);
          first.lock();
          stay_until([&] { return woken.load(relaxed) != 0; }, "a thread waits beside a carrier that rests");
        });
        waiting.join();
        blocked.join();
      });
      first.unlock();
      second.unlock();
    });
  }
}

// The worker is back, and its threads yield to each other: they do so on it alone.
TEST(compensating_workers, that_are_dismissed_end_though_threads_yield) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    in_run(seed, with_spares(1, 1, seed), [&] {
      on::run_on("pu:1", [&] {
        on::mutex m;
        m.lock();
        word rounds{0}, stop{0};
        const auto goes_round = [&] {
          while (stop.load(relaxed) == 0) {
            if (rounds.fetch_add(1, relaxed) == 20) m.unlock();
            on::thread::yield();
          }
        };
        on::thread a(goes_round), b(goes_round);
        keeping_the_worker([&] { m.lock(); });
        std::uint32_t seen = 0;
        stay_until(
            [&] {
              seen = rounds.load(relaxed);
              for (int i = 0; i < 100; ++i) {
                simulated::work_ns(1'000);
                simulated::yield();
              }
              return rounds.load(relaxed) == seen;
            },
            "two carriers of one unit execute threads");
        stop.store(1, relaxed);
        a.join();
        b.join();
      });
    });
  }
}

// Who would wait gets the exception, and nobody finds it in the line then.
TEST(compensating_workers, for_which_there_is_no_memory_leave_nobody_in_a_line) {
  std::uint32_t thrown = 0;
  for (std::uint32_t n = 1; n <= 150; ++n) {
    in_run(
        n, with_spares(2, 1, n),
        [&] {
          on::run_on("pu:2", [&] {
            on::mutex m;
            word begun{0};
            m.lock();
            on::thread waits([&] {
              begun.store(1, relaxed);
              try {
                keeping_the_worker([&] {
                  m.lock();
                  m.unlock();
                });
              } catch (const std::bad_alloc&) {
                ++thrown;
              }
            });
            // The other worker may have come to the end of the memory before it could carry.
            for (int i = 0; i < 1'000 && begun.load(relaxed) == 0; ++i) {
              engine::poll();
              simulated::yield();
            }
            simulated::work_ns(50'000);
            m.unlock();
            waits.join();
            expect(m.try_lock(), "the mutex was handed to who waits no more");
            m.unlock();
          });
        },
        n);
  }
  EXPECT_GT(thrown, 0u) << "no wait came to the end of the memory";
}

}  // namespace
