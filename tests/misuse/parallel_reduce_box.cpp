// says: leat: a reduction takes two whole numbers, a range with random access such as a std::vector, or two random access
#include <functional>
#include <leat/leat.hpp>

int main() {
  const auto product = [](auto row, auto column) { return row * column; };
  return leat::parallel_reduce(leat::range2d(2, 3), 0, product, std::plus<>());
}
