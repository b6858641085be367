// compiles
#include <functional>
#include <leat/leat.hpp>
#include <vector>

struct sum {
  int value = 1;
  void grow() { ++value; }
  sum plus(const sum& s) const { return {value + s.value}; }
};

int main() {
  leat::runtime rt;
  rt.run([] {
    leat::parallel_for(0, 10L, [](auto) {}, {.split = leat::splitting::guided});
    leat::parallel_for(leat::range2d(2, 3), [](auto, auto) {});
    leat::parallel_for(leat::range3d(2, 3, 4), [](leat::block3d) {});
    leat::parallel_reduce(0, 10, 0, [](int i) { return i; }, std::plus<>(), {.chunk_min = 4});
    leat::deterministic_reduce(0, 10, [](int i) { return i; }, std::plus<>());
    std::vector<sum> sums(5);
    leat::parallel_for(sums.begin(), sums.end(), &sum::grow);
    leat::deterministic_reduce(sums, sum(), std::identity(), &sum::plus);
    leat::parallel_reduce(sums, std::identity(), &sum::plus);
  });
}
