// compiles
#include <array>
#include <cmath>
#include <functional>
#include <leat/leat.hpp>
#include <list>
#include <span>
#include <vector>

struct grid : leat::range2d {
  using leat::range2d::range2d;
};

// A range whose end is of another type than its beginning.
struct counted {
  struct end_type {
    int* last;
    friend bool operator==(int* at, end_type end) { return at == end.last; }
  };
  int* begin() const { return nullptr; }
  end_type end() const { return {nullptr}; }
};

int main() {
  leat::runtime rt({.workers = 2});
  leat::team t({.workers = 2});
  rt.run([] {
    int row[3] = {1, 2, 3};
    const std::vector<int> constant(3);
    std::vector<double> doubles(3);
    leat::range2d square(2, 2);
    const auto nothing = [](auto&&...) {};
    const leat::loop_options options;
    leat::parallel_for(row, nothing);
    leat::parallel_for(constant, nothing, options);
    leat::parallel_for(std::span(row), nothing);
    leat::parallel_for(std::array{1, 2}, nothing);
    leat::parallel_for(counted(), nothing);
    leat::parallel_for(&row[0], &row[3], nothing, {});
    leat::parallel_for(constant.begin(), constant.end(), nothing, options);
    leat::parallel_for(square, nothing);
    leat::parallel_for(grid(2, 2), nothing);
    const short from = 1;
    leat::parallel_for(from, 10u, nothing, options);
    leat::parallel_for('a', 'z', nothing);
    leat::parallel_for_each(row, nothing, options);
    leat::parallel_for_each(constant.rbegin(), constant.rend(), nothing);
    leat::with_context([&](leat::context c) {
      std::list<int> numbers;
      leat::parallel_for_each(c, numbers, nothing);
      leat::parallel_for_each(c, numbers.begin(), numbers.end(), nothing);
    });
    leat::parallel_reduce(doubles, 0.0, std::identity(), std::plus<>());
    leat::parallel_reduce(doubles, 0L, [](double x) { return std::lround(x); }, std::plus<>());
    const auto count = [](long so_far, double x) { return so_far + std::lround(x); };
    leat::parallel_reduce(doubles, 0L, std::identity(), count);
    leat::parallel_reduce(0, 10, 0.0f, [](int i) { return 0.5 * i; }, std::plus<>());
    leat::parallel_reduce(0, 10, 0.0, [](leat::block<int>, double made) { return made; }, std::plus<>());
    leat::parallel_exclusive_scan(doubles.begin(), doubles.end(), doubles.begin(), 0.0);
  });
}
