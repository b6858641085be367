// says: leat::parallel_sort: elements must be objects that can be written, neither const nor proxies
#include <leat/leat.hpp>

#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    const std::vector<int> numbers;
    leat::parallel_stable_sort(numbers.begin(), numbers.end());
  });
}
