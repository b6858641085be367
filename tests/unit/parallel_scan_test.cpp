// Scans: whatever is added up, whoever has stolen it, and in one pass where nobody has.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "leat/loop/scan.hpp"

namespace {

using leat_test::comes_true;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::sanitized;
using leat_test::shape;
using leat_test::worker_shapes;

template <class E, class In, class Out, class Op, class... Init>
Out inclusive(In first, In last, Out out, Op op, Init... init) {
  return leat::loop::parallel_inclusive_scan<typename E::platform>(first, last, out, op, init...);
}

template <class E, class In, class Out, class T, class Op>
Out exclusive(In first, In last, Out out, T init, Op op) {
  return leat::loop::parallel_exclusive_scan<typename E::platform>(first, last, out, init, op);
}

// -- sums

// A product of matrices, which is associative and not commutative.
struct matrix {
  std::array<std::uint32_t, 4> at{1, 0, 0, 1};

  friend matrix operator*(const matrix& a, const matrix& b) {
    return {{a.at[0] * b.at[0] + a.at[1] * b.at[2], a.at[0] * b.at[1] + a.at[1] * b.at[3],
             a.at[2] * b.at[0] + a.at[3] * b.at[2], a.at[2] * b.at[1] + a.at[3] * b.at[3]}};
  }
  friend bool operator==(const matrix&, const matrix&) = default;
};

std::vector<matrix> matrices(std::size_t n) {
  std::vector<matrix> made(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::uint32_t>(i);
    made[i].at = {k * 7 + 1, k + 2, 3, k * 5 + 1};
  }
  return made;
}

constexpr std::array<std::size_t, 9> sizes = {0, 1, 2, 3, 7, 100, 1'000, 30'000, 100'000};

std::size_t size_of(std::size_t n) { return sanitized ? n / 20 : n; }

TEST(parallel_scan, scans_as_the_standard_does) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (const std::size_t size : sizes) {
      const std::size_t n = size_of(size);
      SCOPED_TRACE(n);
      const auto in = matrices(n);
      const matrix init{{2, 3, 5, 7}};
      std::vector<matrix> wanted(n);
      std::vector<matrix> out(n);
      e.run([&] {
        std::inclusive_scan(in.begin(), in.end(), wanted.begin(), std::multiplies<>());
        EXPECT_EQ(inclusive<engine>(in.begin(), in.end(), out.begin(), std::multiplies<>()), out.end());
        ASSERT_EQ(out, wanted);
        out = in;
        EXPECT_EQ(inclusive<engine>(out.begin(), out.end(), out.begin(), std::multiplies<>()), out.end());
        ASSERT_EQ(out, wanted) << "in place";
        std::inclusive_scan(in.begin(), in.end(), wanted.begin(), std::multiplies<>(), init);
        EXPECT_EQ(inclusive<engine>(in.begin(), in.end(), out.begin(), std::multiplies<>(), init), out.end());
        ASSERT_EQ(out, wanted);
        std::exclusive_scan(in.begin(), in.end(), wanted.begin(), init, std::multiplies<>());
        EXPECT_EQ(exclusive<engine>(in.begin(), in.end(), out.begin(), init, std::multiplies<>()), out.end());
        ASSERT_EQ(out, wanted);
        out = in;
        EXPECT_EQ(exclusive<engine>(out.begin(), out.end(), out.begin(), init, std::multiplies<>()), out.end());
        ASSERT_EQ(out, wanted) << "in place";
      });
    }
  });
}

TEST(parallel_scan, puts_strings_together) {
  on_each_shape<engine>(worker_shapes({1, 2, 8}), [](engine& e, const shape&) {
    const std::size_t n = sanitized ? 200 : 1'000;
    std::vector<std::string> letters(n);
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += letters[i] = static_cast<char>('a' + i % 23);
    std::vector<std::string> out(n);
    e.run([&] { inclusive<engine>(letters.begin(), letters.end(), out.begin(), std::plus<>(), std::string("<")); });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], "<" + all.substr(0, i + 1));
    std::deque<std::string> spread(n);
    e.run([&] { exclusive<engine>(letters.begin(), letters.end(), spread.begin(), std::string("<"), std::plus<>()); });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(spread[i], "<" + all.substr(0, i));
  });
}

TEST(parallel_scan, adds_in_the_type_of_init) {
  engine e(shape{2});
  const std::vector<std::int8_t> in(1'000, 100);
  std::vector<long> out(in.size());
  e.run([&] {
    inclusive<engine>(in.begin(), in.end(), out.begin(), std::plus<long>(), 1L);
    EXPECT_EQ(out.back(), 100'001);
    exclusive<engine>(in.begin(), in.end(), out.begin(), 1L, std::plus<long>());
    EXPECT_EQ(out.back(), 99'901);
  });
}

// -- passes

TEST(parallel_scan, adds_each_element_once_where_nobody_steals) {
  engine e(shape{1});
  for (const std::size_t n : {1u, 2u, 1'000u, 100'000u}) {
    std::vector<std::uint32_t> v(n, 1);
    std::size_t calls = 0;
    const auto op = [&](std::uint32_t a, std::uint32_t b) { return ++calls, a + b; };
    e.run([&] { inclusive<engine>(v.begin(), v.end(), v.begin(), op); });
    EXPECT_EQ(calls, n - 1);
    calls = 0;
    e.run([&] { exclusive<engine>(v.begin(), v.end(), v.begin(), 0u, op); });
    EXPECT_EQ(calls, n);
  }
}

// The scan of 1, 2, 3 ... `count`, by a body that says what was called. The owner waits once it is beyond `alone`,
// where no more is learnt about how long an element takes, and not in the half that is stolen first: until until(),
// which others bring about. (They must not wait for the owner, who may be waiting for them.) Thieves call
// summing(begin) before they sum up a block.
template <class E>
struct observed_scan {
  static constexpr std::ptrdiff_t alone = 10'000;
  static constexpr std::ptrdiff_t count = 120'000;

  std::vector<std::uint64_t> out = std::vector<std::uint64_t>(count);
  std::vector<std::atomic<std::uint8_t>> final_calls = std::vector<std::atomic<std::uint8_t>>(count);
  std::atomic<std::ptrdiff_t> summed{0};
  std::atomic<std::ptrdiff_t> scanned_to{0};

  template <class Until, class Summing>
  void run(E& e, const Until& until, const Summing& summing) {
    std::uint32_t owner = 0;
    const auto body = [&](std::ptrdiff_t begin, std::ptrdiff_t end, std::uint64_t before, bool is_final) {
      if (is_final && E::here() == owner && begin > alone && begin < count / 2) {
        EXPECT_TRUE(comes_true([&] {
          E::poll();
          return until();
        }));
      }
      if (!is_final) summing(begin);
      for (std::ptrdiff_t i = begin; i != end; ++i) {
        before += static_cast<std::uint64_t>(i) + 1;
        if (!is_final) continue;
        out[static_cast<std::size_t>(i)] = before;
        ++final_calls[static_cast<std::size_t>(i)];
      }
      if (is_final) {
        std::ptrdiff_t seen = scanned_to;
        while (seen < end && !scanned_to.compare_exchange_weak(seen, end)) {
        }
      } else {
        summed += end - begin;
      }
      return before;
    };
    const std::uint64_t all = e.run([&] {
      owner = E::here();
      const auto combine = std::plus<>();
      return leat::loop::parallel_scan<typename E::platform>(0, count, std::uint64_t{0}, body, combine);
    });
    EXPECT_EQ(all, out.back());
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], (i + 1) * (i + 2) / 2) << "at " << i;
      ASSERT_EQ(final_calls[i], 1) << "at " << i;
    }
  }
};

TEST(parallel_scan, sums_up_what_is_stolen) {
  for (const std::uint32_t workers : {2u, 3u, 8u}) {
    engine e(shape{workers});
    observed_scan<engine> scan;
    scan.run(e, [&] { return scan.summed > 0; }, [](std::ptrdiff_t) {});
    EXPECT_GT(scan.summed, 0);
  }
}

// The thief begins to sum up, and goes on when all before it has been scanned: the rest need not be summed up.
TEST(parallel_scan, sums_up_no_more_once_the_sum_before_is_known) {
  engine e(shape{2});
  observed_scan<engine> scan;
  std::atomic<bool> stolen{false};
  const auto summing = [&](std::ptrdiff_t begin) {
    if (stolen.exchange(true)) return;
    EXPECT_TRUE(comes_true([&] { return scan.scanned_to >= begin; }));
  };
  scan.run(e, [&] { return stolen.load(); }, summing);
  EXPECT_GT(scan.summed, 0);
}

// A third is summed up, so at least most of what was stolen first, before the owner goes on.
TEST(parallel_scan, scans_what_was_summed_up_from_all_its_blocks) {
  engine e(shape{2});
  observed_scan<engine> scan;
  scan.run(e, [&] { return scan.summed >= observed_scan<engine>::count / 3; }, [](std::ptrdiff_t) {});
}

// -- what throws

struct counted {
  static inline std::atomic<int> alive{0};

  explicit counted(int v = 0) : value(v) { ++alive; }
  counted(const counted& o) : value(o.value) { ++alive; }
  counted& operator=(const counted&) = default;
  ~counted() { --alive; }

  int value;
};

TEST(parallel_scan, throws_what_op_throws) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    engine e(shape{workers});
    for (int calls = 0; calls < 60'000; calls = calls * 3 + 1) {
      {
        std::vector<counted> v(sanitized ? 20'000 : 60'000);
        std::atomic<int> left{calls % static_cast<int>(v.size())};
        const auto op = [&](const counted& a, const counted& b) {
          if (left-- == 0) throw std::runtime_error("added");
          return counted(a.value + b.value);
        };
        EXPECT_THROW(e.run([&] { inclusive<engine>(v.begin(), v.end(), v.begin(), op); }), std::runtime_error);
      }
      EXPECT_EQ(counted::alive, 0);
    }
  }
}

// -- the functions that users call

TEST(parallel_scan_api, takes_iterators_and_bodies) {
  leat::runtime rt(leat::options{.workers = 2});
  rt.run([] {
    const std::array in = {1, 2, 3};
    std::array<int, 3> out{};
    EXPECT_EQ(leat::parallel_inclusive_scan(in.begin(), in.end(), out.begin()), out.end());
    EXPECT_EQ(out, (std::array{1, 3, 6}));
    EXPECT_EQ(leat::parallel_inclusive_scan(in.begin(), in.end(), out.begin(), std::multiplies<>()), out.end());
    EXPECT_EQ(out, (std::array{1, 2, 6}));
    EXPECT_EQ(leat::parallel_inclusive_scan(in.begin(), in.end(), out.begin(), std::plus<>(), 10), out.end());
    EXPECT_EQ(out, (std::array{11, 13, 16}));
    EXPECT_EQ(leat::parallel_exclusive_scan(in.begin(), in.end(), out.begin(), 10), out.end());
    EXPECT_EQ(out, (std::array{10, 11, 13}));
    EXPECT_EQ(leat::parallel_exclusive_scan(in.begin(), in.end(), out.begin(), 10, std::multiplies<>()), out.end());
    EXPECT_EQ(out, (std::array{10, 10, 20}));
    const auto body = [&](std::ptrdiff_t begin, std::ptrdiff_t end, int before, bool) {
      return std::accumulate(in.begin() + begin, in.begin() + end, before);
    };
    EXPECT_EQ(leat::parallel_scan(0, 3, 0, body, std::plus<>()), 6);
    EXPECT_EQ(leat::parallel_scan(1, 1, 5, body, std::plus<>()), 5);
  });
}

TEST(parallel_scan_api, gives_a_body_no_empty_block) {
  leat::runtime rt({.workers = 2});
  rt.run([&] {
    for (const std::ptrdiff_t first : {0, 10}) {
      for (const std::ptrdiff_t last : {0, 1, 3, 5, 100}) {
        const auto body = [&](std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t before, bool) {
          EXPECT_LE(first, begin);
          EXPECT_LT(begin, end);
          EXPECT_LE(end, last);
          return before + end - begin;
        };
        const std::ptrdiff_t all = leat::parallel_scan(first, last, std::ptrdiff_t{0}, body, std::plus<>());
        EXPECT_EQ(all, std::max<std::ptrdiff_t>(last - first, 0));
      }
    }
    std::vector<int> v = {1, 2, 3};
    EXPECT_EQ(leat::parallel_inclusive_scan(v.end(), v.begin(), v.begin()), v.begin());
    EXPECT_EQ(leat::parallel_exclusive_scan(v.end(), v.begin(), v.begin(), 0), v.begin());
    EXPECT_EQ(v, (std::vector{1, 2, 3}));
  });
}

// Where nothing may enter a runtime.
std::string message_of(const std::function<void()>& f) {
  leat::runtime rt(leat_test::with_workers(1));
  try {
    rt.run([&] { leat::blocking(f); });
  } catch (const leat::not_a_worker& e) {
    return e.what();
  }
  return {};
}

TEST(parallel_scan_api, is_for_workers) {
  std::array v = {1, 2};
  const auto body = [](std::ptrdiff_t, std::ptrdiff_t, int before, bool) { return before; };
  EXPECT_NE(message_of([&] { leat::parallel_inclusive_scan(v.begin(), v.end(), v.begin()); }).find("inclusive_scan"),
            std::string::npos);
  EXPECT_NE(message_of([&] { leat::parallel_exclusive_scan(v.begin(), v.end(), v.begin(), 0); }).find("exclusive_scan"),
            std::string::npos);
  EXPECT_NE(message_of([&] { leat::parallel_scan(0, 2, 0, body, std::plus<>()); }).find("parallel_scan"),
            std::string::npos);
  EXPECT_EQ(v, (std::array{1, 2}));
}

TEST(parallel_scan_api, refuses_more_elements_than_can_be_counted) {
  leat::runtime rt({.workers = 1});
  const auto body = [](std::ptrdiff_t, std::ptrdiff_t, int before, bool) { return before + 1; };
  constexpr auto least = std::numeric_limits<std::ptrdiff_t>::min();
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
  rt.run([&] {
    EXPECT_THROW(leat::parallel_scan(least, most, 0, body, std::plus<>()), std::length_error);
    EXPECT_THROW(leat::parallel_scan(-1, most, 0, body, std::plus<>()), std::length_error);
    EXPECT_EQ(leat::parallel_scan(most, least, 7, body, std::plus<>()), 7);
  });
}

}  // namespace
