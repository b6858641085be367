// says: leat::parallel_for: it runs from a whole number to another
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    std::vector<int> numbers;
    leat::parallel_for(numbers.begin(), numbers.cend(), [](int) {});
  });
}
