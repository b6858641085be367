// Spawned loops: every index once, whoever executes it; the body's life; exceptions, cancellation, and what waits for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
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
using leat_test::shapes;
using leat_test::worker_shapes;

/// How often each index from `first` on was executed.
class visits {
 public:
  explicit visits(std::int64_t first, std::size_t count) : first_(first), times_(count) {}

  void operator()(std::int64_t i) {
    const auto at = static_cast<std::uint64_t>(i - first_);
    if (at < times_.size()) ++times_[at];
    else ++outside_;
  }
  void expect(int n) const {
    EXPECT_EQ(outside_, 0);
    EXPECT_TRUE(std::all_of(times_.begin(), times_.end(), [n](const auto& t) { return t == n; }));
  }
  int all() const {
    int sum = outside_;
    for (const auto& t : times_) sum += t;
    return sum;
  }

 private:
  std::int64_t first_;
  std::vector<std::atomic<int>> times_;
  std::atomic<int> outside_{0};
};

/// Counts its copies that live, and can be told to throw when it is copied.
struct counted_life {
  explicit counted_life(std::atomic<int>& n) : alive(&n) { ++*alive; }
  counted_life(const counted_life& o) : alive(o.alive), throws(o.throws) {
    if (throws) throw std::runtime_error("no copy");
    ++*alive;
  }
  counted_life(counted_life&& o) noexcept : alive(o.alive), throws(o.throws) { ++*alive; }
  counted_life& operator=(const counted_life&) = delete;
  ~counted_life() { --*alive; }
  std::atomic<int>* alive;
  bool throws = false;
};

constexpr int sizes[] = {0, 1, 2, 3, 7, 64, 1000};

// -- every index once

TEST(spawn_for, executes_every_index_once_in_a_group) {
  using E = engine;
  on_each_shape<E>(shapes(), [](E& e, const shape&) {
    e.run([] {
      for (const int n : sizes) {
        visits seen(-5, static_cast<std::size_t>(n));
        typename E::task_group group;
        E::spawn_for(group, -5, n - 5, [&](int i) { seen(i); });
        group.wait();
        seen.expect(1);
      }
    });
  });
}

TEST(spawn_for, executes_every_index_once_before_a_run_ends) {
  using E = engine;
  on_each_shape<E>(shapes(), [](E& e, const shape&) {
    for (const int n : sizes) {
      visits seen(0, static_cast<std::size_t>(n));
      e.run([&] { E::spawn_for(0, n, [&](int i) { seen(i); }); });
      seen.expect(1);
    }
  });
}

TEST(spawn_for, a_barrier_waits_for_it) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      visits seen(0, 500);
      E::spawn_for(0, 500, [&](int i) { seen(i); });
      E::barrier();
      seen.expect(1);
    });
  });
}

TEST(spawn_for, counts_in_the_type_that_both_limits_have) {
  using E = engine;
  E e(shape{2});
  e.run([] {
    typename E::task_group group;
    std::atomic<int> tiny{0};
    E::spawn_for(group, std::int8_t{-128}, std::int8_t{127}, [&](auto i) {
      static_assert(std::is_same_v<decltype(i), std::int8_t>);
      ++tiny;
    });
    std::atomic<int> huge{0};
    const std::uint64_t top = UINT64_MAX;
    E::spawn_for(group, top - 100, top, [&](std::uint64_t i) { huge += i >= top - 100; });
    E::spawn_for(group, 5, 3, [&](int) { ADD_FAILURE() << "an index of an empty range"; });
    group.wait();
    EXPECT_EQ(tiny, 255);
    EXPECT_EQ(huge, 100);
  });
}

TEST(spawn_for, gives_blocks_to_a_body_that_takes_no_index) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      visits seen(10, 1000);
      typename E::task_group group;
      E::spawn_for(group, 10, 1010, [&](leat::block<int> b) {
        EXPECT_GT(b.size(), 0u);
        for (const int i : b) seen(i);
      });
      group.wait();
      seen.expect(1);
    });
  });
}

TEST(spawn_for, heeds_the_smallest_chunk) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape& s) {
    e.run([&] {
      std::atomic<int> small{0};
      std::atomic<int> indices{0};
      typename E::task_group group;
      E::spawn_for(group, 0, 1000,
                   [&](leat::block<int> b) {
                     small += b.size() < 10;
                     indices += static_cast<int>(b.size());
                   },
                   {.chunk_min = 10});
      group.wait();
      EXPECT_EQ(indices, 1000);
      if (s.workers == 1) {
        EXPECT_LE(small, 1);  // the last one
      }
    });
  });
}

// -- who executes it

TEST(spawn_for, is_executed_in_order_while_nobody_asks) {
  using E = engine;
  E e(shape{1});
  std::vector<int> order;
  e.run([&] { E::spawn_for(0, 3000, [&](int i) { order.push_back(i); }); });
  EXPECT_EQ(order.size(), 3000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(spawn_for, others_get_parts_of_it) {
  using E = engine;
  for (const std::uint32_t workers : {2u, 4u, 8u}) {
    E e(shape{workers});
    meeting<E> all(static_cast<int>(workers));
    e.run([&] { E::spawn_for(0u, workers, [&](unsigned) { all.attend(); }); });
    // The owner is not needed: it asks one of those who have parts, who may have none left (docs/internals/protocol.md,
    // LEAPFROG-5).
    const std::uint32_t others = std::max(workers - 1, 2u);
    e.run([&] {
      meeting<E> some(static_cast<int>(others));
      typename E::task_group group;
      E::spawn_for(group, 0u, others, [&](unsigned) { some.attend(); });
      group.wait();
    });
  }
}

TEST(spawn_for, a_stolen_part_is_divided_again) {
  engine e(shape{5});
  e.run([&] {
    meeting<engine> four(4);
    engine::task_group group;
    // Three workers meet one in the upper half, each at its first index there. The first cut leaves that half as two parts at most.
    engine::spawn_for(group, 0, 64, [&](int i) {
      if (i == 0) four.attend();
      if (i >= 32) four.attend_once();
    });
    group.wait();
  });
}

TEST(spawn_for, a_task_of_any_worker_adds_loops_to_the_group) {
  using E = engine;
  on_each_shape<E>(shapes({1, 2, 8}), [](E& e, const shape&) {
    e.run([] {
      constexpr int loops = 40;
      std::vector<std::unique_ptr<visits>> seen;
      for (int i = 0; i < loops; ++i) seen.push_back(std::make_unique<visits>(0, 50));
      typename E::task_group group;
      E::spawn_for(group, 0, loops, [&](int k) {
        E::spawn_for(group, 0, 50, [&seen, k](int i) { (*seen[static_cast<std::size_t>(k)])(i); });
      });
      group.wait();
      for (const auto& v : seen) v->expect(1);
    });
  });
}

TEST(spawn_for, bodies_fork_loop_wait_and_spawn) {
  using E = engine;
  on_each_shape<E>(shapes({1, 2, 8}), [](E& e, const shape&) {
    e.run([] {
      std::atomic<int> sum{0};
      typename E::task_group group;
      E::spawn_for(group, 0, 30, [&](int i) {
        E::fork_join([&] { ++sum; }, [&] { ++sum; });
        E::parallel_for(0, 10, [&](int) { ++sum; });
        typename E::task_group inner;
        E::spawn_for(inner, 0, i, [&](int) { ++sum; });
        inner.wait(i % 2 == 0 ? leat::wait::own : leat::wait::any);
        E::spawn([&] { ++sum; });
        group.spawn([&] { ++sum; });
      });
      group.wait();
      E::barrier();
      EXPECT_EQ(sum, 30 * 14 + 435);
    });
  });
}

// -- the body's life

TEST(spawn_for, keeps_one_copy_of_the_body_until_all_parts_are_done) {
  using E = engine;
  on_each_shape<E>(shapes({1, 2, 8}), [](E& e, const shape&) {
    e.run([] {
      for (int rep = 0; rep < reps(20); ++rep) {
        std::atomic<int> alive{0};
        std::atomic<int> most{0};
        typename E::task_group group;
        {
          const counted_life body(alive);
          E::spawn_for(group, 0, 200, [body, &most](int) { most = std::max<int>(most, *body.alive); });
        }
        group.wait();
        EXPECT_EQ(alive, 0);
        EXPECT_LE(most, 3);  // two here, until spawn_for has returned
      }
    });
  });
}

TEST(spawn_for, takes_bodies_that_can_only_be_moved_or_are_large) {
  using E = engine;
  E e(shape{2});
  std::atomic<int> sum{0};
  e.run([&] {
    typename E::task_group group;
    E::spawn_for(group, 0, 100, [p = std::make_unique<int>(2), &sum](int) { sum += *p; });
    std::array<int, 1000> large{};
    large.back() = 3;
    E::spawn_for(group, 0, 100, [large, &sum](int) { sum += large.back(); });
    E::spawn_for(0, 100, [p = std::make_unique<int>(5), &sum](int) { sum += *p; });
    group.wait();
  });
  EXPECT_EQ(sum, 1000);
}

TEST(spawn_for, a_body_that_cannot_be_copied_leaves_nothing) {
  using E = engine;
  E e(shape{2});
  e.run([] {
    std::atomic<int> alive{0};
    typename E::task_group group;
    counted_life body(alive);
    body.throws = true;
    const auto loop = [body = std::move(body)](int) { ADD_FAILURE(); };
    EXPECT_THROW(E::spawn_for(group, 0, 10, loop), std::runtime_error);
    EXPECT_THROW(E::spawn_for(0, 10, loop), std::runtime_error);
    group.wait();
    EXPECT_EQ(alive, 2);  // body, and the one in `loop`
  });
}

// -- exceptions and cancellation

TEST(spawn_for, what_a_body_throws_comes_out_of_the_wait) {
  using E = engine;
  on_each_shape<E>(shapes({1, 2, 8}), [](E& e, const shape& s) {
    e.run([&] {
      std::atomic<int> alive{0};
      typename E::task_group group;
      visits seen(0, 1000);
      E::spawn_for(group, 0, 1000, [&seen, body = counted_life(alive)](int i) {
        seen(i);
        if (i == 300) throw std::runtime_error("300");
      });
      try {
        group.wait();
        ADD_FAILURE() << "nothing came out";
      } catch (const std::runtime_error& r) {
        EXPECT_EQ(std::string(r.what()), "300");
      }
      EXPECT_EQ(alive, 0);
      if (s.workers == 1 && s.deque_capacity > 4) {
        EXPECT_EQ(seen.all(), 301);  // the rest was not begun
      }
      // The group is as good as new.
      std::atomic<int> again{0};
      E::spawn_for(group, 0, 100, [&](int) { ++again; });
      group.wait();
      EXPECT_EQ(again, 100);
    });
  });
}

TEST(spawn_for, what_a_body_throws_comes_out_of_the_run) {
  using E = engine;
  on_each_shape<E>(worker_shapes({1, 2, 8}), [](E& e, const shape& s) {
    std::atomic<int> alive{0};
    std::atomic<int> seen{0};
    const auto loop = [&] {
      E::spawn_for(0, 1000, [&seen, body = counted_life(alive)](int i) {
        ++seen;
        if (i == 300) throw std::runtime_error("300");
      });
    };
    EXPECT_THROW(e.run(loop), std::runtime_error);
    EXPECT_EQ(alive, 0);
    if (s.workers == 1) {
      EXPECT_EQ(seen, 301);
    }
  });
}

TEST(spawn_for, a_cancelled_group_skips_it) {
  using E = engine;
  on_each_shape<E>(worker_shapes({1, 2, 8}), [](E& e, const shape&) {
    e.run([] {
      std::atomic<int> alive{0};
      typename E::task_group group;
      group.cancel();
      E::spawn_for(group, 0, 100, [body = counted_life(alive)](int) { ADD_FAILURE() << "was executed"; });
      group.wait();
      EXPECT_EQ(alive, 0);
    });
  });
}

TEST(spawn_for, a_body_ends_its_loop_by_the_group_or_a_token) {
  using E = engine;
  on_each_shape<E>(worker_shapes({1, 2, 8}), [](E& e, const shape& s) {
    e.run([&] {
      typename E::task_group stop;  // outlives the loop, whatever becomes of the group
      std::atomic<int> seen{0};
      typename E::task_group group;
      E::spawn_for(group, 0, 1'000'000'000, [&](int i) {
        ++seen;
        if (i == 10) group.cancel();
      });
      group.wait();
      EXPECT_GE(seen, 1);
      if (s.workers == 1) {
        EXPECT_LT(seen, 1000);
      }
      E::spawn_for(group, 0, 1'000'000'000,
                   [&](int i) {
                     if (i == 10) stop.cancel();
                   },
                   {.stop = stop.token()});
      group.wait();
      EXPECT_TRUE(stop.cancelled());
      EXPECT_FALSE(group.cancelled());
    });
  });
}

// -- misuse

TEST(spawn_for, refuses_bad_options_and_limits) {
  using E = engine;
  E e(shape{1});
  e.run([] {
    typename E::task_group group;
    EXPECT_THROW(E::spawn_for(group, 0, 10, [](int) {}, {.chunk_min = 0}), std::invalid_argument);
    EXPECT_THROW(E::spawn_for(0, 0, [](int) {}, {.chunk_min = 0}), std::invalid_argument);
    EXPECT_THROW(E::spawn_for(group, -1, std::uint32_t{10}, [](unsigned) {}), std::out_of_range);
    group.wait();
  });
  EXPECT_THROW(E::spawn_for(0, 10, [](int) {}), leat::not_a_worker);
}

TEST(spawn_for, refuses_a_group_of_another_runtime) {
  using E = engine;
  E mine(shape{1});
  E other(shape{1});
  mine.run([&] {
    typename E::task_group group;
    std::atomic<int> alive{0};
    E* const there = &other;
    std::thread([&] {
      there->run(
          [&] { EXPECT_THROW(E::spawn_for(group, 0, 10, [body = counted_life(alive)](int) {}), std::logic_error); });
    }).join();
    EXPECT_EQ(alive, 0);
    group.wait();
  });
}

// -- the public function

TEST(spawn_for_api, runs_in_a_group_and_in_a_run) {
  leat::runtime rt(leat_test::with_workers(2));
  std::atomic<int> sum{0};
  rt.run([&] {
    leat::task_group group;
    leat::spawn_for(group, 0, 100, [&](int i) { sum += i; });
    leat::spawn_for(group, 0L, 100, [&](leat::block<long> b) { sum += static_cast<int>(b.size()); }, {.chunk_min = 4});
    group.wait();
    EXPECT_EQ(sum, 5050);
    leat::spawn_for(0, 50, [&](int) { ++sum; });
  });
  EXPECT_EQ(sum, 5100);
}

}  // namespace
