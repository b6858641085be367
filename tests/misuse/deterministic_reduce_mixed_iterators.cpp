// says: leat: a reduction takes two whole numbers, a range with random access such as a std::vector, or two random access
#include <functional>
#include <leat/leat.hpp>
#include <vector>

int main() {
  std::vector<int> numbers(5);
  return leat::deterministic_reduce(numbers.begin(), numbers.cend(), 0, std::identity(), std::plus<>());
}
