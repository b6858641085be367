// Sorting: whatever the order, the elements, the workers; and what is left when something throws.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/loop/sort.hpp"
#include "leat/loop/sort_stable.hpp"
#include "meeting.hpp"

namespace {

using leat_test::engine;
using leat_test::meeting;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::sanitized;
using leat_test::shape;
using leat_test::worker_shapes;

enum class kind { unstable, stable };
constexpr std::array kinds = {kind::unstable, kind::stable};

template <class E, class It, class Less = std::less<>>
void sort(kind k, It first, It last, Less less = {}) {
  if (k == kind::unstable) leat::loop::parallel_sort<typename E::platform>(first, last, less);
  else leat::loop::parallel_stable_sort<typename E::platform>(first, last, less);
}

// -- orders

using keys = std::vector<int>;

std::uint64_t drawn(std::uint64_t& seed) {  // a linear congruence, of which the upper bits will do
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed >> 33;
}

keys in_order(std::size_t n) {
  keys v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

keys at_random(std::size_t n, int distinct) {
  keys v(n);
  std::uint64_t seed = n;
  for (int& k : v) k = static_cast<int>(drawn(seed) % static_cast<std::uint64_t>(distinct));
  return v;
}

std::vector<std::pair<std::string, keys>> orders(std::size_t n) {
  std::vector<std::pair<std::string, keys>> all;
  const int m = static_cast<int>(n);
  all.emplace_back("random", at_random(n, 1 << 30));
  all.emplace_back("few distinct", at_random(n, 5));
  all.emplace_back("two", at_random(n, 2));
  all.emplace_back("equal", keys(n, 7));
  all.emplace_back("in order", in_order(n));
  keys v = in_order(n);
  std::ranges::reverse(v);
  all.emplace_back("reversed", v);
  for (int& k : v) k /= 3;
  all.emplace_back("reversed with equals", v);
  v = in_order(n);
  for (int& k : v) k = std::min(k, m - k);
  all.emplace_back("organ pipe", v);
  v = in_order(n);
  if (n > 1) std::swap(v.front(), v.back());
  all.emplace_back("ends exchanged", v);
  v = in_order(n);
  for (int& k : v) k %= std::max(1, m / 4);
  all.emplace_back("saw", v);
  return all;
}

// What the sorts take different ways for: an element that is light, one that is not, and one of which few make a block.
struct light {
  int key = 0;
  std::uint32_t number = 0;
};

struct heavy {
  std::unique_ptr<int> key;
  std::uint32_t number = 0;
};

struct wide {
  int key = 0;
  std::uint32_t number = 0;
  std::array<char, 200> ballast{};
};

int key_of(const light& e) { return e.key; }
int key_of(const heavy& e) { return *e.key; }
int key_of(const wide& e) { return e.key; }

constexpr auto by_key = [](const auto& a, const auto& b) { return key_of(a) < key_of(b); };

template <class T>
std::vector<T> elements(const keys& from) {
  std::vector<T> made(from.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    if constexpr (std::is_same_v<T, heavy>) made[i].key = std::make_unique<int>(from[i]);
    else made[i].key = from[i];
    made[i].number = static_cast<std::uint32_t>(i);
  }
  return made;
}

// Sorted, the same elements, and in their old order where that is promised.
template <class Elements>
void check(const Elements& sorted, const keys& from, kind k) {
  std::vector<bool> seen(from.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    ASSERT_LT(sorted[i].number, from.size());
    ASSERT_FALSE(seen[sorted[i].number]) << "twice";
    seen[sorted[i].number] = true;
    ASSERT_EQ(key_of(sorted[i]), from[sorted[i].number]);
    if (i == 0) continue;
    ASSERT_LE(key_of(sorted[i - 1]), key_of(sorted[i])) << "at " << i;
    if (k == kind::stable && key_of(sorted[i - 1]) == key_of(sorted[i])) {
      ASSERT_LT(sorted[i - 1].number, sorted[i].number) << "at " << i;
    }
  }
}

template <class E, class T>
void check_orders(std::size_t n) {
  for (const auto& [name, from] : orders(n)) {
    for (const kind k : kinds) {
      SCOPED_TRACE(std::to_string(n) + " elements, " + name + (k == kind::stable ? ", stable" : ", unstable"));
      auto v = elements<T>(from);
      sort<E>(k, v.begin(), v.end(), by_key);
      ASSERT_NO_FATAL_FAILURE(check(v, from, k));
    }
  }
}

TEST(parallel_sort, sorts_every_order_of_every_element) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    e.run([] {
      for (const std::size_t n :
           {0, 1, 2, 3, 4, 12, 13, 24, 25, 26, 64, 100, sanitized ? 500 : 1000, sanitized ? 1200 : 3000}) {
        check_orders<engine, light>(n);
        check_orders<engine, heavy>(n);
        check_orders<engine, wide>(n);
        if (::testing::Test::HasFatalFailure()) return;
      }
    });
  });
}

TEST(parallel_sort, sorts_what_is_partitioned_by_many) {
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([] {
      check_orders<engine, light>(sanitized ? 10'000 : 100'000);
      check_orders<engine, heavy>(sanitized ? 2'000 : 30'000);
    });
  });
}

// -- ranges

TEST(parallel_sort, sorts_by_iterators_that_are_no_pointers) {
  engine e(shape{2});
  const keys from = at_random(5'000, 1'000);
  for (const kind k : kinds) {
    e.run([&] {
      const auto made = elements<wide>(from);
      std::deque<wide> v(made.begin(), made.end());
      sort<engine>(k, v.begin(), v.end(), by_key);
      check(v, from, k);
      auto unique = elements<heavy>(from);
      std::deque<heavy> moved(std::move_iterator(unique.begin()), std::move_iterator(unique.end()));
      sort<engine>(k, moved.begin(), moved.end(), by_key);
      check(moved, from, k);
    });
  }
}

TEST(parallel_sort, calls_one_object_to_compare) {
  engine e(shape{8});
  e.run([] {
    struct counts {
      counts() = default;
      counts(const counts&) = delete;
      bool operator()(int a, int b) { return ++calls, a < b; }
      std::atomic<int> calls{0};
    } less;
    keys v = at_random(1'000, 1'000);
    leat::loop::parallel_sort<engine::platform>(v.begin(), v.end(), less);
    EXPECT_TRUE(std::ranges::is_sorted(v));
    EXPECT_GT(less.calls.exchange(0), 1'000);
    leat::loop::parallel_stable_sort<engine::platform>(v.begin(), v.end(), less);
    EXPECT_EQ(less.calls, 1'000) << "a range in order is looked at once";
  });
}

TEST(parallel_sort, sorts_in_the_midst_of_other_tasks) {
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape&) {
    const keys from = at_random(2'000, 500);
    e.run([&] {
      std::vector<std::vector<wide>> all(8, elements<wide>(from));
      {
        engine::task_group group;
        for (auto& v : all) {
          group.spawn([&v] { sort<engine>(kind::stable, v.begin(), v.end(), by_key); });
        }
        group.wait();
      }
      for (const auto& v : all) check(v, from, kind::stable);
    });
  });
}

// -- what they cost

/// Decides on a value only when it must, and lets each pivot turn out to be among the least (McIlroy, "A killer
/// adversary for quicksort", 1999). Now and then it does the opposite, so that no range looks like a run.
class adversary {
 public:
  explicit adversary(std::size_t n) : value_(n, undecided) {}

  bool less(std::size_t a, std::size_t b) {
    ++calls;
    if (value_[a] == undecided && value_[b] == undecided) {
      const bool mostly = drawn(seed_) % 4 != 0;
      value_[(a == candidate_) == mostly ? a : b] = next_++;
    }
    if (value_[a] == undecided) candidate_ = a;
    else if (value_[b] == undecided) candidate_ = b;
    return value_[a] < value_[b];
  }

  std::uint64_t calls = 0;

 private:
  static constexpr std::size_t undecided = ~std::size_t{0};

  std::vector<std::size_t> value_;
  std::size_t next_ = 0;
  std::size_t candidate_ = 0;
  std::uint64_t seed_ = 1;
};

TEST(parallel_sort, compares_n_log_n_times_whoever_made_the_order) {
  engine e(shape{1});
  const std::size_t n = sanitized ? 10'000 : 100'000;
  const auto n_log_n = n * static_cast<std::size_t>(std::bit_width(n));
  for (const kind k : kinds) {
    std::vector<std::size_t> v(n);
    std::iota(v.begin(), v.end(), std::size_t{0});
    adversary enemy(n);
    const auto less = [&](std::size_t a, std::size_t b) { return enemy.less(a, b); };
    e.run([&] { sort<engine>(k, v.begin(), v.end(), less); });
    EXPECT_LT(enemy.calls, 4 * n_log_n);
    EXPECT_TRUE(std::ranges::is_sorted(v, less));
  }
}

TEST(parallel_sort, compares_about_n_times_what_is_in_order) {
  engine e(shape{1});
  const std::size_t n = 50'000;
  for (const bool reversed : {false, true}) {
    for (const kind k : kinds) {
      keys v = in_order(n);
      if (reversed) std::ranges::reverse(v);
      std::uint64_t calls = 0;
      e.run([&] { sort<engine>(k, v.begin(), v.end(), [&](int a, int b) { return ++calls, a < b; }); });
      EXPECT_EQ(v, in_order(n));
      EXPECT_EQ(calls, n);
    }
  }
}

// -- partitions by many

// Each worker waits in its first block for the others, so each has one that it does not finish, or nearly so.
TEST(parallel_sort, partitions_what_several_workers_have_left_unfinished) {
  using P = engine::platform;
  for (const std::uint32_t workers : {2u, 3u, 8u}) {
    for (const int part_left : {1, 50, 99}) {
      engine e(shape{workers});
      std::vector<wide> v = elements<wide>(at_random(20'000, 100));
      meeting<engine> all(static_cast<int>(workers));
      std::vector<std::atomic<bool>> came(2 * workers);
      const auto goes_left = [&](const wide& w) {
        if (!came[engine::here()].exchange(true)) all.attend();
        return w.key < part_left;
      };
      const auto split = e.run([&] {
        return engine::with_context(
            [&](engine::context c) { return leat::loop::partition<P>(c, v.begin(), v.end(), goes_left); });
      });
      EXPECT_EQ(split - v.begin(), std::ranges::count_if(v, [&](const wide& w) { return w.key < part_left; }));
      EXPECT_TRUE(std::all_of(v.begin(), split, [&](const wide& w) { return w.key < part_left; }));
      std::ranges::sort(v, {}, &wide::number);
      for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i].number, i);
    }
  }
}

// -- what throws

// Counts those that live, and throws when it is told to.
struct counted {
  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> moves_left{-1};

  explicit counted(int k) : key(k) { ++alive; }
  counted(counted&& o) noexcept(false) : key(move_from(o)) { ++alive; }
  counted& operator=(counted&& o) noexcept(false) {
    key = move_from(o);
    return *this;
  }
  ~counted() { --alive; }

  static int move_from(counted& o) {
    if (moves_left >= 0 && moves_left-- == 0) throw std::runtime_error("moved");
    return std::exchange(o.key, -1);
  }

  int key;
};

// The same, but moves do not throw.
struct counted_quietly : counted {
  using counted::counted;
  counted_quietly(counted_quietly&& o) noexcept : counted(std::move(o)) {}
  counted_quietly& operator=(counted_quietly&& o) noexcept {
    counted::operator=(std::move(o));
    return *this;
  }
};

int key_of(const counted& e) { return e.key; }

template <class E, class T>
void check_throwing_comparison(kind k, const keys& from, int comparisons) {
  SCOPED_TRACE("after " + std::to_string(comparisons) + " comparisons");
  std::vector<T> v;
  for (const int key : from) v.emplace_back(key);
  std::atomic<int> left{comparisons};
  const auto less = [&](const T& a, const T& b) {
    if (left-- == 0) throw std::runtime_error("compared");
    return key_of(a) < key_of(b);
  };
  EXPECT_THROW(sort<E>(k, v.begin(), v.end(), less), std::runtime_error);
  keys found;
  for (const T& e : v) found.push_back(key_of(e));
  keys wanted = from;
  std::ranges::sort(found);
  std::ranges::sort(wanted);
  ASSERT_EQ(found, wanted) << "every element is there still";
}

struct light_key {
  explicit light_key(int k) : key(k) {}
  int key;
};
int key_of(const light_key& e) { return e.key; }

TEST(parallel_sort, keeps_every_element_when_a_comparison_throws) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    engine e(shape{workers});
    const keys from = at_random(3'000, 1'000);
    e.run([&] {
      for (const kind k : kinds) {
        for (int comparisons = 0; comparisons < 20'000; comparisons = comparisons * 5 / (sanitized ? 1 : 4) + 1) {
          check_throwing_comparison<engine, light_key>(k, from, comparisons);
          check_throwing_comparison<engine, counted>(k, from, comparisons);
          check_throwing_comparison<engine, counted_quietly>(k, from, comparisons);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    });
    EXPECT_EQ(counted::alive, 0);
  }
}

TEST(parallel_sort, keeps_every_element_when_comparisons_contradict_each_other) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    engine e(shape{workers});
    const keys from = at_random(5'000, 5'000);
    e.run([&] {
      for (const kind k : kinds) {
        std::atomic<std::uint64_t> calls{0};
        const auto less = [&](const auto&, const auto&) {
          std::uint64_t seed = ++calls;
          return drawn(seed) % 2 == 0;
        };
        auto few = elements<light>(from);
        sort<engine>(k, few.begin(), few.end(), less);
        std::ranges::sort(few, {}, &light::number);
        for (std::size_t i = 0; i < few.size(); ++i) ASSERT_EQ(few[i].number, i);
        auto many = elements<wide>(from);
        sort<engine>(k, many.begin(), many.end(), less);
        std::ranges::sort(many, {}, &wide::number);
        for (std::size_t i = 0; i < many.size(); ++i) ASSERT_EQ(many[i].number, i);
      }
    });
  }
}

TEST(parallel_sort, destroys_everything_once_when_a_move_throws) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    engine e(shape{workers});
    const keys from = at_random(1'000, 1'000);
    e.run([&] {
      for (const kind k : kinds) {
        for (int moves = 0; moves < 4'000; moves = moves * 5 / (sanitized ? 2 : 4) + 1) {
          std::vector<counted> v;
          v.reserve(from.size());
          for (const int key : from) v.emplace_back(key);
          counted::moves_left = moves;
          EXPECT_THROW(sort<engine>(k, v.begin(), v.end(), by_key), std::runtime_error);
          counted::moves_left = -1;
          EXPECT_EQ(counted::alive, 1'000);
        }
      }
    });
    EXPECT_EQ(counted::alive, 0);
  }
}

}  // namespace
