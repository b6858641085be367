// Each construct on each scheduler, in a few shapes. The scheduler is a value: what its workers make public.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "meeting.hpp"

namespace {

using leat_test::engine;
using leat_test::meeting;
using leat_test::reps;
using leat_test::shape;

using leat::protocol::prell_choices;

/// One of the schedulers, by its name in leat::options, and what prell is to choose.
struct chosen {
  const char* scheduler;
  const char* variant = "";
  prell_choices prell = {};
  std::uint32_t places = 1;  ///< of prell: worker w is in place w modulo so many
};

prell_choices with(leat::protocol::termination t, leat::protocol::barrier_end b, leat::protocol::refusal r,
                   leat::protocol::tries of, leat::protocol::polling p, bool ahead, std::uint32_t samples) {
  prell_choices c;
  c.termination = t, c.barrier = b, c.refusal = r, c.tries = of, c.polling = p, c.ahead = ahead, c.samples = samples;
  c.last_victim = ahead;
  return c;
}

prell_choices counting() {
  using namespace leat::protocol;
  return with(termination::counter, barrier_end::own, refusal::acknowledge, tries::distinct, polling::operations, true,
              1);
}
prell_choices dedicated() {
  using namespace leat::protocol;
  return with(termination::dedicated, barrier_end::own, refusal::forward, tries::distinct, polling::interrupts, false,
              3);
}
prell_choices of_places() {
  using namespace leat::protocol;
  return with(termination::worker, barrier_end::dummy, refusal::forward, tries::distinct, polling::operations, false,
              1);
}
prell_choices of_root() {
  using namespace leat::protocol;
  return with(termination::root, barrier_end::own, refusal::forward, tries::repeated, polling::operations, true, 2);
}

class conformance : public ::testing::TestWithParam<chosen> {
 protected:
  /// Calls test(engine) with workers that have room for many tasks and with ones whose deques grow at once, with workers
  /// that spin and with ones that sleep, with fewer than the machine's CPUs and with more.
  template <class Test>
  static void in_each_shape(Test test) {
    for (shape s : {shape{1, 2, 0}, shape{2, 8192, 20'000}, shape{3, 1, 20'000}, shape{8, 8192, 0}, shape{8, 4, 20'000},
                    shape{64, 8192, 0}}) {
      s.published = leat::protocol::published_of(GetParam().scheduler);
      s.prell = GetParam().prell;
      for (std::uint32_t w = 0; GetParam().places > 1 && w < s.workers; ++w) s.places.push_back(w % GetParam().places);
      SCOPED_TRACE(s.name());
      engine e(s);
      test(e);
      if (HasFatalFailure()) return;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(every, conformance,
                         ::testing::Values(chosen{"channel"}, chosen{"prell"}, chosen{"prell", "_root", of_root()},
                                           chosen{"prell", "_dedicated", dedicated()},
                                           chosen{"prell", "_counter", counting()},
                                           chosen{"prell", "_places", of_places(), 3}, chosen{"work-stealing"},
                                           chosen{"lcws-user"}, chosen{"lcws-signal"}, chosen{"lcws-conservative"},
                                           chosen{"lcws-half"}),
                         [](const auto& instance) {
                           std::string name = std::string(instance.param.scheduler) + instance.param.variant;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Workers that execute tasks: a dedicated manager does not.
std::uint32_t executing(const engine& e, const chosen& c) {
  return e.workers() - (leat::protocol::is_dedicated(c.prell, e.workers()) ? 1 : 0);
}

int fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = engine::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

int fib(engine::context c, int n) {
  if (n < 2) return n;
  const auto [a, b] = engine::fork_join(
      c, [n](engine::context d) { return fib(d, n - 1); }, [n](engine::context d) { return fib(d, n - 2); });
  return a + b;
}

TEST_P(conformance, forks_join_with_their_results) {
  in_each_shape([](engine& e) {
    for (int i = 0; i < reps(20); ++i) {
      ASSERT_EQ(e.run([] { return fib(15); }), 610);
      ASSERT_EQ(e.run([] { return engine::with_context([](engine::context c) { return fib(c, 15); }); }), 610);
    }
  });
}

TEST_P(conformance, two_workers_execute_a_fork) {
  in_each_shape([](engine& e) {
    if (e.workers() == 1) return;
    for (int i = 0; i < reps(20); ++i) {
      e.run([] {
        meeting<engine> both(2);
        // The last one is the oldest. Beneath the other fork, lcws-conservative, which keeps a lone one, gives it.
        engine::fork_join([&] { both.attend(); }, [] {}, [&] { both.attend(); });
      });
    }
  });
}

TEST_P(conformance, the_earliest_exception_of_a_fork_comes_out_when_all_that_began_has_ended) {
  in_each_shape([](engine& e) {
    for (int i = 0; i < reps(50); ++i) {
      std::atomic<int> begun{0};
      std::atomic<int> ended{0};
      e.run([&] {
        const auto fails = [&](int which) {
          return [&begun, &ended, which] {
            ++begun;
            fib(6);
            ++ended;
            throw which;
          };
        };
        try {
          engine::fork_join([] { fib(8); }, fails(1), fails(2));
          ADD_FAILURE() << "nothing was thrown";
        } catch (int which) {
          EXPECT_EQ(which, 1);
        }
        EXPECT_EQ(ended, begun);
        EXPECT_GE(ended, 1);
      });
    }
  });
}

void tree(std::atomic<long>& nodes, int depth) {
  ++nodes;
  if (depth == 0) return;
  for (int i = 0; i < 3; ++i) engine::spawn([&nodes, depth] { tree(nodes, depth - 1); });
}

TEST_P(conformance, a_run_executes_each_spawned_task_once) {
  in_each_shape([](engine& e) {
    for (int i = 0; i < reps(20); ++i) {
      std::atomic<long> nodes{0};
      e.run([&] { tree(nodes, 6); });
      ASSERT_EQ(nodes, 1093);
    }
  });
}

TEST_P(conformance, a_barrier_waits_for_all_tasks) {
  in_each_shape([](engine& e) {
    std::atomic<long> nodes{0};
    e.run([&] {
      for (int i = 1; i <= reps(20); ++i) {
        tree(nodes, 5);
        engine::barrier();
        ASSERT_EQ(nodes, 364 * i);
      }
    });
  });
}

TEST_P(conformance, a_group_waits_for_its_tasks_wherever_they_lie) {
  in_each_shape([](engine& e) {
    for (int i = 0; i < reps(20); ++i) {
      std::atomic<long> nodes{0};
      e.run([&] {
        std::atomic<int> ran{0};
        engine::task_group outer;
        for (int k = 0; k < 30; ++k) {
          outer.spawn([&] {
            engine::task_group inner;
            for (int j = 0; j < 10; ++j) inner.spawn([&ran] { ++ran; });
            inner.wait();
          });
          if (k % 7 == 0) engine::spawn([&nodes] { tree(nodes, 2); });  // beside them in the deque
        }
        outer.wait();
        EXPECT_EQ(ran, 300);
      });
      ASSERT_EQ(nodes, 5 * 13);
    }
  });
}

TEST_P(conformance, a_group_that_is_cancelled_skips_tasks_and_throws_what_a_task_threw) {
  in_each_shape([](engine& e) {
    for (int i = 0; i < reps(20); ++i) {
      e.run([] {
        engine::task_group group;
        std::atomic<int> ran{0};
        for (int k = 0; k < 200; ++k) {
          group.spawn([&ran, k] {
            if (k == 40) throw std::runtime_error("task 40");
            ++ran;
          });
        }
        EXPECT_THROW(group.wait(), std::runtime_error);
        EXPECT_LT(ran, 200);
      });
    }
  });
}

TEST_P(conformance, a_future_is_executed_once) {
  in_each_shape([](engine& e) {
    for (int i = 0; i < reps(20); ++i) {
      std::atomic<int> ran{0};
      const long sum = e.run([&] {
        std::vector<engine::future<long>> futures;
        for (int k = 0; k < 100; ++k) futures.push_back(engine::async([&ran, k] { return ++ran, fib(3) + 0L + k; }));
        long all = 0;
        for (std::size_t k = 0; k < futures.size(); k += 2) all += futures[k].get();  // oldest first
        for (std::size_t k = futures.size() - 1; k < futures.size(); k -= 2) all += futures[k].get();
        return all;
      });
      ASSERT_EQ(sum, 100 * 2 + 4950);
      ASSERT_EQ(ran, 100);
    }
  });
}

TEST_P(conformance, a_future_can_be_waited_for_by_another_task) {
  // As published: a join in the awaited task may run, on top of it, the task that waits for it, and throw leat::deadlock.
  const bool joins = leat::protocol::published_of(GetParam().scheduler) == leat::protocol::published::none;
  in_each_shape([joins](engine& e) {
    for (int i = 0; i < reps(50); ++i) {
      const int found = e.run([joins] {
        auto first = engine::async([joins] { return joins ? fib(10) : 55; });
        auto second = engine::async([f = std::move(first)]() mutable { return f.get() + 1; });
        return second.get();
      });
      ASSERT_EQ(found, 56);
    }
  });
}

TEST_P(conformance, a_loop_executes_each_index_once) {
  in_each_shape([](engine& e) {
    for (int i = 0; i < reps(20); ++i) {
      std::vector<unsigned char> seen(10'007);
      std::atomic<long> sum{0};
      e.run([&] {
        engine::parallel_for(0, 10'007, [&](int k) { ++seen[static_cast<std::size_t>(k)]; });
        engine::task_group group;
        engine::spawn_for(group, 0, 1000, [&sum](int k) { sum += k; });
        group.wait();
      });
      ASSERT_EQ(std::count(seen.begin(), seen.end(), 1), 10'007);
      ASSERT_EQ(sum, 499'500);
    }
  });
}

TEST_P(conformance, a_loop_is_executed_by_all_workers_and_stops_at_an_exception) {
  // As published: a worker keeps a lone part of a loop.
  const bool keeps_a_lone_one = std::string(GetParam().scheduler) == "lcws-conservative";
  in_each_shape([&](engine& e) {
    const int workers = static_cast<int>(executing(e, GetParam()));
    e.run([&] {
      meeting<engine> all(keeps_a_lone_one ? std::min(workers, 2) : workers);
      engine::parallel_for(0, keeps_a_lone_one ? 4 : workers, [&](int) { all.attend(); });
    });
    EXPECT_THROW(e.run([] {
      engine::parallel_for(0, 100'000, [](int k) {
        if (k == 700) throw std::runtime_error("index 700");
      });
    }),
                 std::runtime_error);
  });
}

TEST_P(conformance, a_reduction_combines_in_order) {
  in_each_shape([](engine& e) {
    for (int i = 0; i < reps(20); ++i) {
      const std::string digits = e.run([] {
        return engine::parallel_reduce(
            0, 500, std::string(), [](int k) { return std::string(1, static_cast<char>('0' + k % 10)); },
            std::plus<>());
      });
      ASSERT_EQ(digits.size(), 500u);
      for (std::size_t k = 0; k < digits.size(); ++k) ASSERT_EQ(digits[k], static_cast<char>('0' + k % 10)) << k;
    }
  });
}

TEST_P(conformance, tasks_beneath_a_long_one_are_executed_by_others) {
  // As published: these give nothing in the midst of a task.
  const std::string scheduler = GetParam().scheduler;
  const bool interrupts = GetParam().prell.polling == leat::protocol::polling::interrupts;
  if (scheduler == "lcws-user" || (scheduler == "prell" && !interrupts)) return;
  const int given = scheduler == "lcws-conservative" ? 4 : 5;  // as published: it keeps a lone one
  in_each_shape([given](engine& e) {
    if (executing(e, GetParam()) == 1) return;
    std::atomic<int> ran{0};
    e.run([given, &ran] {
      for (int k = 0; k < 5; ++k) engine::spawn([&ran] { ++ran; });
      // This task never polls. An interrupt or the public part must hand them over.
      EXPECT_TRUE(leat_test::comes_true([&] { return ran == given; }));
    });
  });
}

TEST_P(conformance, a_blocked_worker_is_replaced) {
  in_each_shape([](engine& e) {
    const int workers = static_cast<int>(e.workers());
    e.run([&] {
      std::atomic<bool> opened{false};
      engine::task_group group;
      for (int k = 0; k < workers; ++k) {
        group.spawn(
            [&] { engine::blocking([&] { EXPECT_TRUE(leat_test::comes_true([&] { return opened.load(); })); }); });
      }
      group.spawn([&] { opened = true; });
      group.wait();
    });
  });
}

TEST_P(conformance, runs_of_several_threads_end_each_for_itself) {
  in_each_shape([](engine& e) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 3; ++t) {
      callers.emplace_back([&e, &wrong] {
        for (int i = 0; i < reps(20); ++i) {
          std::atomic<long> nodes{0};
          e.run([&] { tree(nodes, 4); });
          if (nodes != 121) ++wrong;
        }
      });
    }
    for (std::thread& t : callers) t.join();
    ASSERT_EQ(wrong, 0);
  });
}

}  // namespace
