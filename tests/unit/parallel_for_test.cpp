// Parallel loops: every index once, whatever the limits, the workers and the strategy; exceptions, cancellation,
// nesting.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "meeting.hpp"

namespace {

using leat::splitting;
using leat_test::engine;
using leat_test::meeting;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::worker_shapes;

constexpr splitting strategies[] = {splitting::adaptive, splitting::half, splitting::guided};

/// How often each index was executed, the first one being `first`.
template <class Index>
class visits {
 public:
  visits(Index first, std::uint64_t count) : first_(first), times_(count) {}

  void operator()(Index i) {
    const std::uint64_t at = static_cast<std::uint64_t>(i) - static_cast<std::uint64_t>(first_);
    if (at < times_.size()) ++times_[at];
    else ++outside_;
  }

  void expect_once() const {
    EXPECT_EQ(outside_, 0);
    EXPECT_TRUE(std::all_of(times_.begin(), times_.end(), [](int n) { return n == 1; }));
  }

 private:
  Index first_;
  std::vector<std::atomic<int>> times_;
  std::atomic<int> outside_{0};
};

// -- one dimension

template <class E, class Index>
void check_limits(Index first, Index last, splitting split) {
  const std::uint64_t count = first < last ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0;
  visits<Index> seen(first, count);
  E::parallel_for(first, last,
                  [&](auto i) {
                    static_assert(std::is_same_v<decltype(i), Index>);
                    seen(i);
                  },
                  {.split = split});
  seen.expect_once();
}

TEST(parallel_for, executes_every_index_once) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      for (const splitting split : strategies) {
        for (const int n : {0, 1, 2, 3, 7, 64, 1000, reps(20'000)}) check_limits<E>(-5, n - 5, split);
        check_limits<E, std::int8_t>(-128, 127, split);
        check_limits<E, std::uint8_t>(0, 255, split);
        check_limits<E, char>('a', 'z', split);
        constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
        constexpr auto highest = std::numeric_limits<std::int64_t>::max();
        check_limits<E>(lowest, lowest + 100, split);
        check_limits<E>(highest - 100, highest, split);
        constexpr auto end = std::numeric_limits<std::uint64_t>::max();
        check_limits<E>(end - 100, end, split);
        check_limits<E>(5, 5, split);
        check_limits<E>(10, -10, split);
        check_limits<E>(10u, 3u, split);
        check_limits<E>(highest, lowest, split);
      }
    });
  });
}

TEST(parallel_for, is_stopped_inside_a_range_of_all_indices) {
  using E = engine;
  on_each_shape<E>(worker_shapes({1, 3}), [](E& e, const shape&) {
    e.run([] {
      constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
      constexpr auto highest = std::numeric_limits<std::int64_t>::max();
      std::atomic<int> begun{0};
      const auto body = [&](std::int64_t) {
        if (++begun == 1000) throw std::runtime_error("enough");
      };
      EXPECT_THROW(E::parallel_for(lowest, highest, body), std::runtime_error);
      begun = 0;
      EXPECT_THROW(E::parallel_for(std::uint64_t{0}, ~std::uint64_t{0}, [&](auto) { body(0); }), std::runtime_error);
    });
  });
}

TEST(parallel_for, takes_limits_of_two_types) {
  using E = engine;
  E e(shape{2});
  e.run([] {
    const auto indices = [](auto first, auto last) {
      std::atomic<int> n{0};
      E::parallel_for(first, last, [&](auto i) {
        static_assert(std::is_same_v<decltype(i), std::common_type_t<decltype(first), decltype(last)>>);
        ++n;
      });
      return n.load();
    };
    EXPECT_EQ(indices(0, 10L), 10);
    EXPECT_EQ(indices(0, std::size_t{10}), 10);
    EXPECT_EQ(indices(-3, 10L), 13);
    EXPECT_EQ(indices(0u, -5), 0) << "and not four thousand million";
    EXPECT_EQ(indices(std::int8_t{-3}, std::int16_t{300}), 303);
    EXPECT_EQ(indices(20u, 10), 0);
    EXPECT_THROW(indices(-3, 10u), std::out_of_range);
    try {
      indices(-3, 10u);
    } catch (const std::out_of_range& bad) {
      EXPECT_NE(std::string(bad.what()).find("-3"), std::string::npos) << bad.what();
    }
  });
}

TEST(parallel_for, runs_in_order_with_one_worker) {
  using E = engine;
  E e(shape{1});
  e.run([] {
    for (const splitting split : strategies) {
      int next = 0;
      E::parallel_for(0, 5000, [&](int i) { EXPECT_EQ(i, next++); }, {.split = split});
      EXPECT_EQ(next, 5000);
    }
  });
  EXPECT_EQ(e.counters()[leat::event::splits], 0u);
}

TEST(parallel_for, gives_blocks_to_a_body_that_wants_them) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      visits<long> seen(3, 5000);
      E::parallel_for(3L, 5003L, [&](leat::block<long> b) {
        EXPECT_GT(b.size(), 0u);
        EXPECT_EQ(std::uint64_t(std::distance(b.begin(), b.end())), b.size());
        for (const long i : b) seen(i);
      });
      seen.expect_once();
    });
  });
}

TEST(parallel_for, keeps_to_the_least_chunk) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      std::atomic<int> small{0};
      E::parallel_for(0, 1000,
                      [&](leat::block<int> b) {
                        if (b.size() < 16) ++small;
                        E::poll();
                      },
                      {.chunk_min = 16});
      EXPECT_LE(small, 64) << "the last one of a part at most";
      visits<int> seen(0, 10);
      E::parallel_for(0, 10, [&](int i) { seen(i); }, {.chunk_min = 1'000'000});
      seen.expect_once();
    });
  });
}

TEST(parallel_for, refuses_bad_options) {
  using E = engine;
  E e(shape{1});
  e.run([] {
    EXPECT_THROW(E::parallel_for(0, 1, [](int) {}, {.chunk_min = 0}), std::invalid_argument);
    EXPECT_THROW(E::parallel_for(0, 0, [](int) {}, {.split = static_cast<splitting>(9)}), std::invalid_argument);
    E::blocking([] { EXPECT_THROW(E::parallel_for(0, 1, [](int) {}), leat::not_a_worker); });
  });
}

// -- who executes

TEST(parallel_for, is_executed_by_all_workers_at_once) {
  using E = engine;
  for (const splitting split : strategies) {
    on_each_shape<E>(worker_shapes({2, 3, 8}), [&](E& e, const shape& s) {
      e.run([&] {
        meeting<E> all(static_cast<int>(s.workers));
        E::parallel_for(0, static_cast<int>(s.workers), [&](int) { all.attend(); }, {.split = split});
      });
      EXPECT_GE(e.counters()[leat::event::splits], s.workers - 1);
    });
  }
}

// One iteration is long, and its worker looks only when it is interrupted: none of the others may lie behind it.
TEST(parallel_for, is_finished_by_others_while_one_is_busy) {
  using E = engine;
  on_each_shape<E>(worker_shapes({2, 3}), [](E& e, const shape&) {
    e.run([] {
      std::atomic<int> done{0};
      E::parallel_for(0, 100, [&](int i) {
        if (i != 0) ++done;
        else EXPECT_TRUE(leat_test::comes_true([&] { return done == 99; })) << "others may have all that is left";
      });
      EXPECT_EQ(done, 99);
    });
  });
}

TEST(parallel_for, does_not_copy_the_body) {
  using E = engine;
  struct immobile {
    immobile() = default;
    immobile(const immobile&) = delete;
    void operator()(int) { ++calls; }
    std::atomic<int> calls{0};
  };
  E e(shape{3});
  immobile body;
  e.run([&] { E::parallel_for(0, 1000, body); });
  EXPECT_EQ(body.calls, 1000);
  E one(shape{1});
  one.run([] {
    int sum = 0;
    auto counts = [n = 0, &sum](int) mutable { sum = ++n; };
    E::parallel_for(0, 1000, counts);
    EXPECT_EQ(sum, 1000) << "its own state";
  });
}

// -- two and three dimensions

template <class E>
void check_rectangle(int rows, int cols) {
  const std::uint64_t all = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
  visits<std::int64_t> by_index(0, all);
  E::parallel_for(leat::range2d(rows, cols), [&](std::ptrdiff_t i, std::ptrdiff_t j) { by_index(i * cols + j); });
  by_index.expect_once();
  visits<std::int64_t> by_block(0, all);
  E::parallel_for(leat::range2d(rows, cols), [&](leat::block2d b) {
    for (const auto i : b.rows()) {
      for (const auto j : b.cols()) by_block(i * cols + j);
    }
  });
  by_block.expect_once();
}

TEST(parallel_for, covers_rectangles) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      check_rectangle<E>(0, 5);
      check_rectangle<E>(5, 0);
      check_rectangle<E>(1, 1);
      check_rectangle<E>(1, 2);
      check_rectangle<E>(2, 1);
      check_rectangle<E>(1, 900);
      check_rectangle<E>(900, 1);
      check_rectangle<E>(30, 40);
      check_rectangle<E>(7, 301);
    });
  });
}

TEST(parallel_for, covers_boxes) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      const leat::range3d all(leat::block<std::ptrdiff_t>(-2, 5), leat::block<std::ptrdiff_t>(10, 21),
                              leat::block<std::ptrdiff_t>(-1, 12));
      const auto number = [](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
        return ((i + 2) * 11 + (j - 10)) * 13 + k + 1;
      };
      visits<std::int64_t> by_index(0, 7 * 11 * 13);
      E::parallel_for(all, [&](auto i, auto j, auto k) { by_index(number(i, j, k)); });
      by_index.expect_once();
      visits<std::int64_t> by_block(0, 7 * 11 * 13);
      E::parallel_for(all, [&](leat::block3d b) {
        for (const auto i : b.pages()) {
          for (const auto j : b.rows()) {
            for (const auto k : b.cols()) by_block(number(i, j, k));
          }
        }
      });
      by_block.expect_once();
    });
  });
}

TEST(parallel_for, runs_along_rows) {
  using E = engine;
  E e(shape{1});
  e.run([] {
    std::ptrdiff_t next = 0;
    E::parallel_for(leat::range3d(5, 6, 7), [&](auto i, auto j, auto k) { EXPECT_EQ((i * 6 + j) * 7 + k, next++); });
    EXPECT_EQ(next, 5 * 6 * 7);
  });
}

// -- exceptions and cancellation

TEST(parallel_for, throws_what_a_body_threw_and_stops) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      for (const int bad : {0, 1, 499, 999}) {
        std::atomic<int> inside{0};
        try {
          E::parallel_for(0, 1000, [&](int i) {
            ++inside;
            if (i == bad) --inside, throw i;
            --inside;
          });
          FAIL() << bad;
        } catch (int i) {
          EXPECT_EQ(i, bad);
        }
        EXPECT_EQ(inside, 0) << "nobody works for a loop that is over";
      }
      EXPECT_THROW(E::parallel_for(0, 1000, [](int i) { throw i; }), int);
      visits<int> seen(0, 1000);
      E::parallel_for(0, 1000, [&](int i) { seen(i); });
      seen.expect_once();
    });
  });
}

// All workers are inside when one throws: of a million indices no other is executed, unless in the moment between.
TEST(parallel_for, stops_the_others_after_an_exception) {
  using E = engine;
  E e(shape{3});
  e.run([] {
    std::atomic<int> waiting{0};
    std::atomic<bool> thrown{false};
    const auto body = [&](int) {
      if (++waiting < 3) {
        EXPECT_TRUE(leat_test::comes_true([&] { return E::poll(), thrown.load(); }));
        return;
      }
      thrown = true;
      throw std::runtime_error("third");
    };
    EXPECT_THROW(E::parallel_for(0, 1'000'000, body), std::runtime_error);
    EXPECT_LE(waiting, 6) << "in each worker's first chunk is one index";
  });
}

TEST(parallel_for, ends_early_when_its_token_says_so) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      typename E::task_group found;
      std::atomic<int> at{-1};
      E::parallel_for(0, std::numeric_limits<int>::max(),
                      [&](int i) {
                        if (i % 1000 == 777) at = i, found.cancel();
                      },
                      {.stop = found.token()});
      EXPECT_EQ(at % 1000, 777);
      EXPECT_TRUE(found.cancelled());
    });
  });
}

TEST(parallel_for, ends_early_inside_a_cancelled_group) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      typename E::task_group group;
      std::atomic<bool> after{false};
      constexpr auto endless = std::numeric_limits<std::int64_t>::max();
      group.spawn([&] {
        E::parallel_for(std::int64_t{0}, endless, [&](std::int64_t) {
          // A loop inside sees it, too, whoever executes it.
          E::parallel_for(std::int64_t{0}, endless, [&](std::int64_t i) {
            if (i == 100) group.cancel();
          });
        });
        after = true;
      });
      group.wait();
      EXPECT_TRUE(after) << "the loop returns normally";
    });
  });
}

// -- nesting

TEST(parallel_for, nests) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      visits<int> seen(0, 20 * 20 * 20);
      E::parallel_for(0, 20, [&](int i) {
        E::parallel_for(0, 20, [&](int j) { E::parallel_for(0, 20, [&](int k) { seen((i * 20 + j) * 20 + k); }); });
      });
      seen.expect_once();
    });
  });
}

TEST(parallel_for, goes_with_everything_else) {
  using E = engine;
  on_each_shape<E>(leat_test::shapes({1, 3, 8}), [](E& e, const shape&) {
    std::atomic<int> spawned{0};
    e.run([&] {
      std::atomic<int> sum{0};
      typename E::task_group group;
      for (int t = 0; t < 4; ++t) {
        group.spawn([&] {
          E::parallel_for(0, 25, [&](int i) {
            E::spawn([&] { ++spawned; });
            typename E::task_group inner;
            inner.spawn([&] { ++sum; });
            auto later = E::async([&] { return 1; });
            E::fork_join([&] { ++sum; }, [&] { ++sum; });
            inner.wait();
            sum += later.get();
            if (i % 8 == 0) E::blocking([&] { ++sum; });
            else ++sum;
          });
        });
      }
      group.wait();
      EXPECT_EQ(sum, 4 * 25 * 5);
      EXPECT_THROW(E::parallel_for(0, 1, [](int) { E::barrier(); }), leat::misplaced_barrier);
    });
    EXPECT_EQ(spawned, 100);
  });
}

TEST(box, counts_its_indices) {
  EXPECT_EQ(leat::range2d(3, 4).size(), 12u);
  EXPECT_EQ(leat::range2d(-3, 4).size(), 0u);
  EXPECT_EQ(leat::range2d(3u, std::int8_t{4}).size(), 12u);
  EXPECT_THROW(leat::range2d(~std::uint64_t{0}, 1), std::length_error);
  EXPECT_THROW(leat::range3d(1L << 40, 1L << 40, 2), std::length_error);
  EXPECT_EQ(leat::range3d(1L << 40, 1L << 40, 0).size(), 0u);
}

TEST(box, names_all_sides_if_they_are_too_many) {
  try {
    static_cast<void>(leat::range3d(1L << 40, 3, 1L << 41));
    FAIL();
  } catch (const std::length_error& e) {
    EXPECT_STREQ(e.what(), "leat::range3d: cannot count 1099511627776 x 3 x 2199023255552 indices");
  }
}

TEST(ranges, that_cannot_be_counted_are_refused) {
  const auto all = std::views::iota(0ull, ~0ull);
  const auto nothing = [](auto) {};
  const auto first = [](auto a, auto) { return a; };
  EXPECT_THROW(leat::parallel_for(all, nothing), std::length_error);
  EXPECT_THROW(leat::parallel_for_each(all, nothing), std::length_error);
  EXPECT_THROW(leat::parallel_reduce(all, 0ull, std::identity(), first), std::length_error);
  EXPECT_THROW(leat::deterministic_reduce(all, 0ull, std::identity(), first), std::length_error);
}

}  // namespace
