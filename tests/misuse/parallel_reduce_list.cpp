// says: leat: a reduction takes two whole numbers, a range with random access such as a std::vector, or two random access
#include <functional>
#include <leat/leat.hpp>
#include <list>

int main() {
  const std::list<double> numbers(5, 0.5);
  const double sum = leat::parallel_reduce(numbers, 0.0, std::identity(), std::plus<>());
  return sum > 0;
}
