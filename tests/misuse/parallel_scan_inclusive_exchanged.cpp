// says: leat::parallel_scan: op and init are exchanged: parallel_inclusive_scan takes op and then init
#include <functional>
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    std::vector<int> v(5);
    leat::parallel_inclusive_scan(v.begin(), v.end(), v.begin(), 0, std::plus<>());
  });
}
