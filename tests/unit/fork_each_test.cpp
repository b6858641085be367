// parallel_for_each with a context: each element once, wherever its call is made.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <forward_list>
#include <list>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
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

// How often each element was visited.
class visits {
 public:
  explicit visits(std::size_t elements) : times_(elements) {}

  void add(int element) { times_[static_cast<std::size_t>(element)].fetch_add(1, std::memory_order_relaxed); }
  std::vector<int> times() const { return {times_.begin(), times_.end()}; }

 private:
  std::vector<std::atomic<int>> times_;
};

std::vector<int> numbers(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(fork_each, visits_each_element_once) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (const int count : {0, 1, 2, 3, 8, 1000}) {
      const std::vector<int> row = numbers(count);
      visits with(row.size());
      visits without(row.size());
      e.run([&] {
        engine::with_context([&](context c) {
          engine::parallel_for_each(c, row.begin(), row.end(), [&](context, const int& i) { with.add(i); });
          engine::parallel_for_each(c, row.begin(), row.end(), [&](int i) { without.add(i); });
        });
      });
      EXPECT_EQ(with.times(), std::vector<int>(row.size(), 1));
      EXPECT_EQ(without.times(), std::vector<int>(row.size(), 1));
    }
  });
}

TEST(fork_each, goes_in_order_where_nobody_steals) {
  using context = engine::context;
  engine e(shape{1});
  const std::vector<int> row = numbers(20);
  std::vector<int> seen;
  e.run([&] {
    engine::with_context(
        [&](context c) { engine::parallel_for_each(c, row.begin(), row.end(), [&](int i) { seen.push_back(i); }); });
  });
  EXPECT_EQ(seen, row);
}

TEST(fork_each, takes_iterators_that_go_one_way) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes({1, 8}), [](engine& e, const shape&) {
    const std::forward_list<int> one_way = {0, 1, 2, 3, 4, 5, 6};
    std::list<int> both_ways(7, 0);
    visits seen(7);
    e.run([&] {
      engine::with_context([&](context c) {
        engine::parallel_for_each(c, one_way.begin(), one_way.end(), [&](context, int i) { seen.add(i); });
        engine::parallel_for_each(c, both_ways.begin(), both_ways.end(), [](int& i) { ++i; });
      });
    });
    EXPECT_EQ(seen.times(), std::vector<int>(7, 1));
    EXPECT_EQ(both_ways, std::list<int>(7, 1)) << "elements are not copied";
  });
}

// Large enough not to be copied.
struct heavy {
  visits* seen;
  std::array<std::uint64_t, 20> more = {};
  void operator()(int i) const { seen->add(i); }
};

void visit_globally(std::atomic<int>& element) { ++element; }

struct counted_element {
  std::atomic<int> visits = 0;
  void visit() { ++visits; }
};

TEST(fork_each, calls_whatever_can_be_called) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes({1, 8}), [](engine& e, const shape&) {
    const std::vector<int> row = numbers(50);
    visits seen(row.size());
    heavy large{&seen};
    std::vector<std::atomic<int>> words(50);
    std::vector<counted_element> objects(50);
    e.run([&] {
      engine::with_context([&](context c) {
        engine::parallel_for_each(c, row.begin(), row.end(), large);
        engine::parallel_for_each(c, words.begin(), words.end(), visit_globally);
        engine::parallel_for_each(c, objects.begin(), objects.end(), &counted_element::visit);
      });
    });
    EXPECT_EQ(seen.times(), std::vector<int>(50, 1));
    EXPECT_TRUE(std::ranges::all_of(words, [](const auto& w) { return w == 1; }));
    EXPECT_TRUE(std::ranges::all_of(objects, [](const auto& o) { return o.visits == 1; }));
  });
}

TEST(fork_each, lets_others_have_what_is_left) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes({3, 8}), [](engine& e, const shape&) {
    for (int i = 0; i < reps(20); ++i) {
      std::array<std::uint32_t, 3> by{};
      meeting<engine> all(3);
      e.run([&] {
        engine::with_context([&](context c) {
          const std::array<int, 3> row = {0, 1, 2};
          engine::parallel_for_each(c, row.begin(), row.end(), [&](context, int n) {
            by[static_cast<std::size_t>(n)] = engine::here();
            all.attend();
          });
        });
      });
      EXPECT_TRUE(by[0] != by[1] && by[1] != by[2] && by[2] != by[0]) << "thieves let others have some, too";
    }
  });
}

// Its slot is free while an iterator moves.
TEST(fork_each, iterators_may_fork) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes({3, 8}), [](engine& e, const shape&) {
    for (int i = 0; i < reps(20); ++i) {
      std::atomic<int> sum = 0;
      meeting<engine> all(3);
      const std::array<int, 6> row = {0, 1, 2, 3, 4, 5};
      const auto is_odd = [](int n) {
        const auto remainder = [n](context) { return n % 2; };
        return std::get<1>(engine::fork_join([](context) {}, remainder)) == 1;
      };
      e.run([&] {
        engine::with_context([&](context c) {
          auto odd = row | std::views::filter(is_odd);
          engine::parallel_for_each(c, odd.begin(), odd.end(), [&](context, int n) {
            sum += n;
            all.attend();
          });
        });
      });
      EXPECT_EQ(sum, 9);
    }
  });
}

// Takes either, but the same way as a copy.
struct takes_both {
  std::atomic<int>* with;
  std::atomic<int>* without;
  template <class Context>
  void operator()(Context, int) {
    ++*with;
  }
  void operator()(int) const { ++*without; }
};

TEST(fork_each, gives_a_context_to_what_takes_one) {
  using context = engine::context;
  engine e(shape{2});
  std::atomic<int> with = 0;
  std::atomic<int> without = 0;
  takes_both f{&with, &without};
  const std::array<int, 4> row = {};
  e.run([&] { engine::with_context([&](context c) { engine::parallel_for_each(c, row.begin(), row.end(), f); }); });
  EXPECT_EQ(with, 4);
  EXPECT_EQ(without, 0);
}

// What is below a node that has as many children as its depth says, in rows inside rows.
template <class E>
std::uint64_t below(typename E::context c, int depth) {
  if (depth == 0) return 1;
  std::vector<int> children = numbers(depth);
  std::vector<std::uint64_t> counts(children.size());
  E::parallel_for_each(c, children.begin(), children.end(), [&counts, depth](typename E::context in, int i) {
    counts[static_cast<std::size_t>(i)] = below<E>(in, depth - 1);
  });
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{1});
}

TEST(fork_each, nests) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (int i = 0; i < reps(10); ++i) {
      EXPECT_EQ(e.run([] { return engine::with_context([](context c) { return below<engine>(c, 7); }); }), 13'700u);
    }
  });
}

TEST(fork_each, forks_of_all_kinds_nest_in_it) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape&) {
    std::atomic<int> calls = 0;
    const std::vector<int> row = numbers(30);
    e.run([&] {
      engine::with_context([&](context c) {
        engine::parallel_for_each(c, row.begin(), row.end(), [&](context in, int i) {
          engine::fork_join(in, [&] { ++calls; }, [&] { ++calls; });
          engine::fork_join([&] { ++calls; }, [&](context) { ++calls; });
          engine::parallel_for(0, i % 3, [&](int) { ++calls; });
        });
      });
    });
    EXPECT_EQ(calls, 30 * 4 + 30);
  });
}

// -- exceptions

TEST(fork_each, throws_what_a_call_threw_and_makes_no_further_ones) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape& s) {
    for (const int bad : {0, 3, 9}) {
      visits seen(10);
      const std::vector<int> row = numbers(10);
      const auto visit = [&](context, int i) {
        seen.add(i);
        if (i == bad) throw std::runtime_error(std::to_string(i));
      };
      try {
        e.run([&] {
          engine::with_context([&](context c) { engine::parallel_for_each(c, row.begin(), row.end(), visit); });
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& thrown) {
        EXPECT_EQ(thrown.what(), std::to_string(bad));
      }
      const std::vector<int> times = seen.times();
      for (int i = 0; i < 10; ++i) {
        if (i <= bad) EXPECT_EQ(times[static_cast<std::size_t>(i)], 1) << i;
        else EXPECT_LE(times[static_cast<std::size_t>(i)], s.workers == 1 ? 0 : 1) << i;
      }
    }
  });
}

TEST(fork_each, throws_the_first_in_order_and_waits_for_thieves) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes({2, 8}), [](engine& e, const shape&) {
    for (int i = 0; i < reps(20); ++i) {
      meeting<engine> both(2);
      std::atomic<bool> over = false;
      const std::array<int, 2> row = {0, 1};
      const auto visit = [&](context, int n) {
        both.attend();
        if (n == 1) over = true;
        throw std::runtime_error(std::to_string(n));
      };
      try {
        e.run([&] {
          engine::with_context([&](context c) { engine::parallel_for_each(c, row.begin(), row.end(), visit); });
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& thrown) {
        EXPECT_STREQ(thrown.what(), "0");
      }
      EXPECT_TRUE(over);
    }
  });
}

TEST(fork_each, brings_what_a_thief_threw) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes({2, 8}), [](engine& e, const shape&) {
    for (int i = 0; i < reps(20); ++i) {
      meeting<engine> both(2);
      const std::array<int, 3> row = {0, 1, 2};
      std::atomic<int> last = 0;
      const auto visit = [&](context, int n) {
        if (n < 2) both.attend();
        if (n == 1) throw std::runtime_error("1");
        if (n == 2) ++last;
      };
      EXPECT_THROW(e.run([&] {
        engine::with_context([&](context c) { engine::parallel_for_each(c, row.begin(), row.end(), visit); });
      }),
                   std::runtime_error);
      EXPECT_LE(last, 1);
    }
  });
}

// -- the public form

struct node {
  int value = 0;
  std::vector<node> children;
};

node tree_of(int depth) {
  node n{depth, {}};
  for (int i = 0; i < depth; ++i) n.children.push_back(tree_of(depth - 1));
  return n;
}

inline void add_values(auto c, const node& n, std::atomic<int>& sum) {
  sum.fetch_add(n.value, std::memory_order_relaxed);
  leat::parallel_for_each(c, n.children, [&sum](auto in, const node& child) { add_values(in, child, sum); });
}

int value_of(const node& n) {
  int sum = n.value;
  for (const node& child : n.children) sum += value_of(child);
  return sum;
}

TEST(fork_each_alone, walks_a_tree_in_the_public_form) {
  const node root = tree_of(6);
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    leat::options o;
    o.workers = workers;
    leat::runtime rt(o);
    std::atomic<int> sum = 0;
    rt.run([&] { leat::with_context([&](leat::context c) { add_values(c, root, sum); }); });
    EXPECT_EQ(sum, value_of(root));
    std::vector<int> row = numbers(10);
    rt.run([&] {
      leat::with_context([&](leat::context c) {
        leat::parallel_for_each(c, row, [](int& i) { i *= 2; });
        leat::parallel_for_each(c, std::span(row).first(5), [](leat::context, int& i) { ++i; });
        leat::parallel_for_each(c, row.begin() + 5, row.end(), [](auto, int& i) { --i; });
      });
    });
    EXPECT_EQ(row, (std::vector<int>{1, 3, 5, 7, 9, 9, 11, 13, 15, 17}));
  }
}

}  // namespace
