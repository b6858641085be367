// says: leat::parallel_scan: sums must be assignable to the output
#include <leat/leat.hpp>

#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    const std::vector<int> numbers;
    leat::parallel_exclusive_scan(numbers.begin(), numbers.end(), numbers.begin(), 0);
  });
}
