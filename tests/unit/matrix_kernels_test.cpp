// The kernels that have data, which leat and its rivals share: sorts of integers, products and decompositions of
// matrices, heat on a plate.

#include "kernels/calls.hpp"
#include "kernels/heat.hpp"
#include "kernels/heat_tasks.hpp"
#include "kernels/lu.hpp"
#include "kernels/lu_tasks.hpp"
#include "kernels/matmul.hpp"
#include "kernels/matmul_tasks.hpp"
#include "kernels/on_leat.hpp"
#include "kernels/recursive_sort.hpp"
#include "kernels/recursive_sort_tasks.hpp"
#include "kernels/sort_arrays.hpp"

#include <leat/leat.hpp>
#include <leat/platform/chosen.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using leat::kernels::calls;
using leat::kernels::counted_runtime;
namespace heat = leat::kernels::heat;
namespace lu = leat::kernels::lu;
namespace matmul = leat::kernels::matmul;
namespace recursive_sort = leat::kernels::recursive_sort;
using recursive_sort::method;

leat::options workers(std::uint32_t count) {
  leat::options o;
  o.workers = count;
  return o;
}

// Before each run, as whoever measures does it.
template <class Parameters, class Run>
void finds_what_is_right(const Parameters& p, Run run) {
  p.prepare();
  for (int i = 0; i < 2; ++i) {
    p.before_run(1);
    EXPECT_EQ(p.after_run(run()), p.expected());
  }
}

template <class Parameters>
void is_right_on_all(const Parameters& p) {
  finds_what_is_right(p, [&] { return serial(p); });
  for (const std::uint32_t count : {1, 2, 8}) {
    leat::runtime rt(workers(count));
    finds_what_is_right(p, [&] { return parallel(rt, p); });
    counted_runtime counted(workers(count));
    finds_what_is_right(p, [&] { return parallel(counted, p); });
  }
}

recursive_sort::parameters sort_of(std::int64_t n, method by) {
  recursive_sort::parameters p;
  p.n = n;
  p.method = by;
  return p;
}

template <class Parameters>
Parameters blocks_of(std::int64_t n, std::int64_t block) {
  Parameters p;
  p.n = n;
  p.block = block;
  return p;
}

TEST(matrix_kernels, sorts_are_right) {
  for (const method by : {method::quick, method::cilk}) {
    for (const std::int64_t n : {0, 1, 2, 3, 20, 21, 100, 101, 1024, 1025, 30'000}) is_right_on_all(sort_of(n, by));
  }
}

TEST(matrix_kernels, sorts_are_right_where_integers_are_equal_or_in_order) {
  for (const method by : {method::quick, method::cilk}) {
    for (int pattern = 0; pattern < 4; ++pattern) {
      recursive_sort::arrays a(5000);
      for (std::size_t i = 0; i < a.sorted.size(); ++i) {
        const auto index = static_cast<std::int32_t>(i);
        a.sorted[i] = pattern == 0 ? 7 : pattern == 1 ? index : pattern == 2 ? -index : index % 3;
      }
      std::vector<std::int32_t> right = a.sorted;
      std::ranges::sort(right);
      recursive_sort::sort<calls>(a, by);
      EXPECT_EQ(a.sorted, right) << pattern;
    }
  }
}

TEST(matrix_kernels, what_is_not_sorted_is_noticed) {
  const recursive_sort::parameters p = sort_of(1000, method::quick);
  p.prepare();
  p.before_run(1);
  EXPECT_LT(p.after_run(0), p.expected()) << "not sorted yet";
  serial(p);
  p.arrays().sorted[10] = p.arrays().sorted[11];
  EXPECT_EQ(p.after_run(0), 0u) << "one is missing";
  p.before_run(1);
  serial(p);
  --p.arrays().sorted.front();
  ++p.arrays().sorted.back();
  EXPECT_EQ(p.after_run(0), 0u) << "others are there, with the same sum";
  leat::kernels::sort::drawn_array<std::int32_t> array(1000);
  std::ranges::sort(array.sorted);
  EXPECT_EQ(array.count_sorted(), 1000u);
  --array.sorted.front();
  ++array.sorted.back();
  EXPECT_EQ(array.count_sorted(), 0u);
}

TEST(matrix_kernels, products_are_right) {
  is_right_on_all(blocks_of<matmul::parameters>(1, 1));
  is_right_on_all(blocks_of<matmul::parameters>(48, 48));
  is_right_on_all(blocks_of<matmul::parameters>(60, 12));
}

TEST(matrix_kernels, products_of_matrices_that_are_no_squares_are_right) {
  for (const std::int64_t inner : {12, 36, 120}) {
    auto p = blocks_of<matmul::parameters>(60, 12);
    p.inner = inner;
    EXPECT_EQ(p.forks(), 25u * static_cast<std::uint64_t>(inner / 12));
    is_right_on_all(p);
  }
}

TEST(matrix_kernels, products_by_loops_are_right_with_polls_and_without) {
  for (const bool polls : {false, true}) {
    auto p = blocks_of<matmul::parameters>(60, 12);
    p.splittable = true;
    p.polls = polls;
    is_right_on_all(p);
    p.splittable = false;
    is_right_on_all(p);
  }
}

TEST(matrix_kernels, a_wrong_product_is_noticed) {
  const auto p = blocks_of<matmul::parameters>(32, 8);
  p.prepare();
  p.before_run(1);
  EXPECT_EQ(p.after_run(0), 0u);
  serial(p);
  p.matrices().multiply(1, 2, 3);
  EXPECT_EQ(p.after_run(0), 24u) << "eight rows have too much";
}

TEST(matrix_kernels, a_wrong_number_in_any_column_of_a_product_is_noticed) {
  constexpr std::size_t n = 32;
  const auto p = blocks_of<matmul::parameters>(n, 1);
  p.prepare();
  for (std::size_t column = 0; column < n; ++column) {
    p.before_run(1);
    serial(p);
    for (std::size_t k = 0; k < n; ++k) p.matrices().multiply(0, column, k);  // twice what is right
    EXPECT_EQ(p.after_run(0), n - 1) << column;
  }
}

TEST(matrix_kernels, decompositions_are_right) {
  is_right_on_all(blocks_of<lu::parameters>(1, 1));
  is_right_on_all(blocks_of<lu::parameters>(32, 32));
  is_right_on_all(blocks_of<lu::parameters>(80, 8));
}

lu::parameters by_futures(std::int64_t n, std::int64_t block) {
  auto p = blocks_of<lu::parameters>(n, block);
  p.construct = leat::kernels::construct::future;
  return p;
}

TEST(matrix_kernels, decompositions_with_polls_are_right_to_the_last_bit) {
  auto p = blocks_of<lu::parameters>(80, 8);
  p.polls = true;
  is_right_on_all(p);
  auto futures = by_futures(80, 8);
  futures.polls = true;
  is_right_on_all(futures);
}

TEST(matrix_kernels, decompositions_by_futures_are_right) {
  is_right_on_all(by_futures(1, 1));
  is_right_on_all(by_futures(32, 32));
  is_right_on_all(by_futures(80, 8));
}

TEST(matrix_kernels, tasks_of_a_dataflow_wait_for_what_they_read_and_change) {
  // Items are made from the last to the first, each from the one after it, so that who waits for them in order comes to
  // the last task first.
  constexpr std::size_t items = 200;
  const auto flow = [](auto tasks) {
    std::vector<int> value(items + 1);
    decltype(tasks)::dataflow(items + 1, [&value](const auto& make) {
      for (std::size_t i = items; i-- > 0;) {
        make([&value, i] { value[i] = value[i + 1] + 1; }, i, {i + 1});
        make([&value, i] { value[i] *= 2; }, i, {});
        make([&value, i] { value[i] -= value[i + 1]; }, i, {i + 1});
      }
    });
    // v becomes 2 (v + 1) - v.
    for (std::size_t i = 0; i <= items; ++i) ASSERT_EQ(value[i], 2 * static_cast<int>(items - i));
  };
  flow(calls());
  for (const std::uint32_t count : {1, 2, 8}) {
    leat::runtime rt(workers(count));
    rt.run([&] { flow(leat::kernels::on_leat<leat::platform::chosen>()); });
    counted_runtime counted(workers(count));
    counted.run([&] { flow(leat::kernels::on_leat<leat::platform::counted>()); });
  }
}

heat::parameters plate_of(std::int64_t n, std::int64_t band, std::int64_t steps) {
  heat::parameters p;
  p.n = n;
  p.band = band;
  p.steps = steps;
  return p;
}

TEST(matrix_kernels, plates_are_right) {
  is_right_on_all(plate_of(1, 1, 3));
  is_right_on_all(plate_of(24, 3, 0));
  is_right_on_all(plate_of(24, 3, 7));
}

TEST(matrix_kernels, each_cell_of_a_plate_becomes_the_mean_of_its_neighbours) {
  const heat::plate before(plate_of(12, 4, 1));
  heat::plate p(plate_of(12, 4, 1));
  heat::relax<calls>(p);
  for (std::size_t i = 0; i <= 13; ++i) {
    for (std::size_t j = 0; j <= 13; ++j) {
      const bool border = i % 13 == 0 || j % 13 == 0;
      EXPECT_EQ(p.at(i, j),
                border ? before.at(i, j)
                       : 0.25 * (before.at(i - 1, j) + before.at(i, j - 1) + before.at(i, j + 1) + before.at(i + 1, j)))
          << i << ", " << j;
    }
  }
}

TEST(matrix_kernels, a_plate_that_went_wrong_is_noticed) {
  const heat::parameters p = plate_of(16, 4, 5);
  p.prepare();
  p.before_run(1);
  EXPECT_NE(p.after_run(0), p.expected());
  serial(p);
  EXPECT_EQ(p.after_run(0), p.expected());
  p.plate().relax(4);
  p.plate().next_step();
  EXPECT_NE(p.after_run(0), p.expected());
}

TEST(matrix_kernels, what_is_done_with_blocks_is_right) {
  std::vector<double> a = {4, 2, 8, 7};
  leat::kernels::block::decompose(a.data(), 2, {0, 2});
  EXPECT_THAT(a, testing::ElementsAre(4, 2, 2, 3));
  std::vector<double> right = {1, 2, 3, 4};
  leat::kernels::block::forward(a.data(), right.data(), 2, {0, 2});
  EXPECT_THAT(right, testing::ElementsAre(1, 2, 1, 0)) << "L (1 2; 1 0) = (1 2; 3 4)";
  std::vector<double> below = {4, 5, 8, 10};
  leat::kernels::block::divide(a.data(), below.data(), 2, {0, 2});
  EXPECT_THAT(below, testing::ElementsAre(1, 1, 2, 2)) << "(1 1; 2 2) U = (4 5; 8 10)";
  std::vector<double> c = {10, 10, 10, 10};
  leat::kernels::block::subtract_product(c.data(), right.data(), below.data(), 2, {0, 2});
  EXPECT_THAT(c, testing::ElementsAre(5, 5, 9, 9));
}

TEST(matrix_kernels, products_of_blocks_are_subtracted_in_order) {
  // To the last bit, whatever is left over when some rows are taken together.
  for (const std::size_t size : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 33u}) {
    std::vector<double> a(size * size);
    std::vector<double> b(size * size);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = 1 / static_cast<double>(i + 3);
      b[i] = 1 / static_cast<double>(2 * i + 7);
    }
    std::vector<double> found(size * size, 0.1);
    std::vector<double> right = found;
    leat::kernels::block::subtract_product(found.data(), a.data(), b.data(), size, {0, size});
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t j = 0; j < size; ++j) right[i * size + j] -= a[i * size + k] * b[k * size + j];
      }
    }
    EXPECT_EQ(found, right) << size;
  }
}

TEST(matrix_kernels, a_decomposition_that_went_wrong_is_noticed) {
  const auto p = blocks_of<lu::parameters>(48, 8);
  p.prepare();
  p.before_run(1);
  EXPECT_NE(p.after_run(0), p.expected());
  serial(p);
  p.decomposition().subtract_product(3, 3, 2);
  EXPECT_NE(p.after_run(0), p.expected());
}

TEST(matrix_kernels, numbers_of_tasks_are_right) {
  leat::runtime rt(workers(1));
  const auto made = [&rt](const auto& p) {
    p.prepare();
    p.before_run(1);
    const std::uint64_t before = rt.counters()[leat::event::tasks];
    parallel(rt, p);
    return rt.counters()[leat::event::tasks] - before;
  };
  const auto product = blocks_of<matmul::parameters>(40, 8);
  EXPECT_EQ(made(product), product.forks());
  const auto decomposition = blocks_of<lu::parameters>(80, 8);
  EXPECT_EQ(made(decomposition), decomposition.forks());
  EXPECT_GT(decomposition.forks(), 0u);
  const auto futures = by_futures(80, 8);
  EXPECT_EQ(made(futures), futures.forks());
  EXPECT_EQ(futures.forks(), decomposition.forks() + 10) << "one more for each block of the diagonal";
  const auto plate = plate_of(24, 3, 7);
  EXPECT_EQ(made(plate), plate.forks());
  EXPECT_EQ(plate.forks(), 8u * 7);
}

TEST(matrix_kernels, smaller_sizes_are_valid) {
  for (const std::int64_t block : {1, 8, 64}) {
    const auto p = blocks_of<matmul::parameters>(2048, block).smaller();
    EXPECT_NO_THROW(p.validate());
    EXPECT_LE(p.n, 512);
    EXPECT_NO_THROW(blocks_of<lu::parameters>(2048, block).smaller().validate());
  }
  EXPECT_EQ(by_futures(2048, 8).smaller().construct, leat::kernels::construct::future);
  EXPECT_NO_THROW(plate_of(1000, 5, 1000).smaller().validate());
  EXPECT_LE(plate_of(1000, 5, 1000).smaller().steps, 20);
  EXPECT_LE(sort_of(1'000'000, method::cilk).smaller().n, 100'000);
  EXPECT_EQ(sort_of(1'000'000, method::cilk).smaller().method, method::cilk);
}

TEST(matrix_kernels, bad_parameters_are_named_with_their_value) {
  const auto refused = [](const auto& p, const char* what) {
    EXPECT_THAT([&] { p.validate(); }, testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr(what)));
  };
  refused(sort_of(-1, method::quick), "-n = -1");
  refused(blocks_of<matmul::parameters>(0, 1), "-n = 0");
  refused(blocks_of<matmul::parameters>(64, 0), "--block = 0: must divide -n = 64");
  auto narrow = blocks_of<matmul::parameters>(64, 16);
  narrow.inner = -16;
  refused(narrow, "--inner = -16");
  narrow.inner = 40;
  refused(narrow, "--block = 16: must divide --inner = 40");
  refused(blocks_of<lu::parameters>(64, -8), "--block = -8");
  refused(blocks_of<lu::parameters>(64, 48), "--block = 48: must divide -n = 64");
  refused(plate_of(0, 1, 1), "-n = 0");
  refused(plate_of(8, 3, 1), "--band = 3: must divide -n = 8");
  refused(plate_of(8, 4, -1), "--steps = -1");
}

}  // namespace
