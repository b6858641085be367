// All kinds of tasks mixed at random, from a seed: each is executed once, wherever, and all waits end.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat::wait;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

/// A tree whose nodes have children by all constructs. Which, a node's number tells, so the number of nodes is known.
struct mixture {
  std::uint64_t seed;

  enum class kind {
    fork,
    fork_three,
    context,
    array,
    group,
    group_any,
    future,
    future_any,
    shared,
    spawn,
    blocking,
    failing
  };
  static constexpr int kinds = 12;

  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
    return x ^ x >> 32;
  }
  kind kind_of(std::uint64_t node) const { return static_cast<kind>(mixed(seed ^ mixed(node)) % kinds); }
  int children_of(std::uint64_t node) const {
    switch (kind_of(node)) {
      case kind::fork_three: return 3;
      case kind::array: return 4;
      case kind::blocking: return 1;
      default: return 2;
    }
  }

  long serial(std::uint64_t node, int depth) const {
    long nodes = 1;
    if (depth == 0) return nodes;
    for (int i = 0; i < children_of(node); ++i) nodes += serial(child(node, i), depth - 1);
    return nodes;
  }
  static std::uint64_t child(std::uint64_t node, int i) { return mixed(node + 1) + static_cast<std::uint64_t>(i); }
};

/// What E executes of it: counts the nodes that it returns, and those that it has spawned.
template <class E>
class executed {
 public:
  explicit executed(mixture m) : tree_(m) {}

  long spawned() const { return spawned_; }

  long node(std::uint64_t n, int depth) {
    if (depth == 0) return 1;
    if (n % 5 == 0) E::poll();
    const auto below = [this, n, depth](int i) { return [this, n, depth, i] { return child(n, depth, i); }; };
    switch (tree_.kind_of(n)) {
      case mixture::kind::fork: return 1 + sum(E::fork_join(below(0), below(1)));
      case mixture::kind::fork_three: return 1 + sum(E::fork_join(below(0), below(1), below(2)));
      case mixture::kind::context:
        return E::with_context([&](typename E::context c) { return 1 + in_context(c, n, depth); });
      case mixture::kind::array: {
        std::array row{below(0), below(1), below(2), below(3)};
        return 1 + sum(E::fork_join(row));
      }
      case mixture::kind::group: return 1 + group(n, depth, wait::own);
      case mixture::kind::group_any: return 1 + group(n, depth, wait::any);
      case mixture::kind::future: return 1 + futures(below(0), below(1), wait::own);
      case mixture::kind::future_any: return 1 + futures(below(0), below(1), wait::any);
      case mixture::kind::shared: {
        const auto both = E::async(below(0)).share();
        const long other = below(1)();
        return 1 + both.get() + other;
      }
      case mixture::kind::spawn:
        for (int i = 0; i < 2; ++i) E::spawn([this, n, depth, i] { spawned_ += child(n, depth, i); });
        return 1;
      case mixture::kind::blocking: {
        const long first = E::blocking([] { return std::this_thread::yield(), 1L; });
        return first + child(n, depth, 0);
      }
      case mixture::kind::failing: return 1 + failing(n, depth);
    }
    return 0;
  }

 private:
  long child(std::uint64_t n, int depth, int i) { return node(mixture::child(n, i), depth - 1); }

  static long sum(const std::pair<long, long>& p) { return p.first + p.second; }
  static long sum(const std::tuple<long, long, long>& t) { return std::get<0>(t) + std::get<1>(t) + std::get<2>(t); }
  static long sum(const std::array<long, 4>& a) { return a[0] + a[1] + a[2] + a[3]; }

  // Stays in the context form as long as the nodes do.
  long in_context(typename E::context c, std::uint64_t n, int depth) {
    using context = typename E::context;
    const auto below = [this, n, depth](int i) {
      return [this, n, depth, i](context d) {
        const std::uint64_t m = mixture::child(n, i);
        if (depth > 1 && tree_.kind_of(m) == mixture::kind::context) return 1 + in_context(d, m, depth - 1);
        return node(m, depth - 1);
      };
    };
    return sum(E::fork_join(c, below(0), below(1)));
  }

  long group(std::uint64_t n, int depth, wait how) {
    std::array<long, 2> found{};
    typename E::task_group group;
    for (int i = 0; i < 2; ++i) {
      group.spawn([this, n, depth, i, &found] { found[static_cast<std::size_t>(i)] = child(n, depth, i); });
    }
    group.wait(how);
    return found[0] + found[1];
  }

  template <class F, class G>
  static long futures(F f, G g, wait how) {
    auto first = E::async(f);
    auto second = E::async(g);
    first.wait(how);
    const long a = first.get();
    return a + second.get();
  }

  // The exception takes nothing away: both children are executed, and what they found is kept beside their results.
  long failing(std::uint64_t n, int depth) {
    long first = 0;
    long second = 0;
    bool thrown = false;
    try {
      E::fork_join([&] { first = child(n, depth, 0); },
                   [&] {
                     second = child(n, depth, 1);
                     throw std::runtime_error("on purpose");
                   });
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    EXPECT_TRUE(thrown);
    return first + second;
  }

  const mixture tree_;
  std::atomic<long> spawned_{0};
};

TEST(mixed_stress, all_kinds_of_tasks) {
  constexpr int depth = leat_test::sanitized ? 6 : 8;
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(reps(20)); ++seed) {
      const mixture m{seed * 977};
      executed<engine> tree(m);
      long returned = 0;
      long at_barrier = 0;
      e.run([&] {
        returned = tree.node(seed, depth);
        engine::barrier();
        at_barrier = returned + tree.spawned();
      });
      const long expected = m.serial(seed, depth);
      ASSERT_EQ(at_barrier, expected) << "seed " << seed;
      ASSERT_EQ(returned + tree.spawned(), expected) << "seed " << seed << ": after the barrier";
    }
  });
}

}  // namespace
