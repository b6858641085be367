// says: the order is identity, map, combine, and all but the identity must be there
#include <functional>
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    const std::vector<int> v(5);
    leat::parallel_reduce(v.begin(), v.end(), 0L, std::plus<>());
  });
}
