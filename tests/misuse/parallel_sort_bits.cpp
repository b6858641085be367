// says: leat::parallel_sort: elements must be objects that can be written, neither const nor proxies
#include <leat/leat.hpp>

#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    std::vector<bool> bits;
    leat::parallel_sort(bits);
  });
}
