// One object per worker.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::with_workers;

TEST(worker_local, adds_up_what_every_worker_did) {
  for (const std::uint64_t workers : {1u, 2u, 8u, 64u}) {
    leat::runtime rt(with_workers(workers));
    leat::worker_local<std::uint64_t> sum(rt);
    for (int round = 1; round <= 10; ++round) {
      rt.run([&] {
        for (std::uint64_t i = 1; i <= 1000; ++i) leat::spawn([&sum, i] { sum.local() += i; });
        sum.local() += 1;
      });
      EXPECT_EQ(sum.combine(std::uint64_t{0}, std::plus<>()), static_cast<std::uint64_t>(round) * 500'501);
    }
  }
}

TEST(worker_local, starts_with_a_copy_of_the_initial_value_for_each) {
  leat::runtime rt(with_workers(3));
  const leat::worker_local<std::string> names(rt, "leat");
  EXPECT_EQ(names.combine(std::string(), std::plus<>()), "leatleatleat");
  const leat::worker_local<int> zeros(rt);
  EXPECT_EQ(zeros.combine(0, std::plus<>()), 0);
}

TEST(worker_local, combines_in_the_order_of_the_workers) {
  leat::runtime rt(with_workers(1));
  leat::worker_local<std::vector<int>> seen(rt);
  rt.run([&] { seen.local() = {1, 2}; });
  const auto joined = seen.combine(std::vector<int>{0}, [](std::vector<int> all, const std::vector<int>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  });
  EXPECT_EQ(joined, (std::vector{0, 1, 2}));
}

TEST(worker_local, combines_into_another_type_that_only_moves) {
  leat::runtime rt(with_workers(2));
  const leat::worker_local<int> ones(rt, 1);
  const auto total = ones.combine(std::make_unique<int>(0), [](std::unique_ptr<int> sum, int one) {
    *sum += one;
    return sum;
  });
  EXPECT_EQ(*total, 2);
}

TEST(worker_local, gives_every_worker_a_cache_line_of_its_own) {
  leat::runtime rt(with_workers(4));
  leat::worker_local<char> bytes(rt);
  std::set<std::uintptr_t> addresses;
  const leat::worker_local<char>& same = bytes;
  same.combine(0, [&](int, const char& byte) {
    addresses.insert(reinterpret_cast<std::uintptr_t>(&byte) / leat::platform::cache_line);
    return 0;
  });
  EXPECT_EQ(addresses.size(), 4u);
}

TEST(worker_local, stays_the_same_within_a_task) {
  leat::runtime rt(with_workers(2));
  leat::worker_local<int> here(rt);
  rt.run([&] {
    int& first = here.local();
    leat::spawn([] {});
    EXPECT_EQ(&first, &here.local());
  });
}

TEST(worker_local, has_nothing_for_a_thread_that_is_no_worker) {
  leat::runtime rt(with_workers(1));
  leat::worker_local<int> none(rt);
  try {
    none.local() = 1;
    FAIL() << "accepted";
  } catch (const leat::not_a_worker& problem) {
    EXPECT_NE(std::string(problem.what()).find("worker_local"), std::string::npos) << problem.what();
  }
}

// The second runtime lies where the first one lay, and has more workers than there are objects.
TEST(worker_local, has_nothing_for_a_runtime_in_the_place_of_the_one_that_has_ended) {
  std::optional<leat::runtime> rt(std::in_place, with_workers(1));
  leat::worker_local<int> here(*rt);
  rt->run([&] { here.local() = 1; });
  for (int round = 0; round < 10; ++round) {
    rt.reset();
    rt.emplace(with_workers(1));
    EXPECT_THROW(rt->run([&] { here.local() = 2; }), leat::not_a_worker);
  }
  EXPECT_EQ(here.combine(0, std::plus<>()), 1);
}

}  // namespace
