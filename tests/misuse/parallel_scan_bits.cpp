// says: leat: elements of a std::vector<bool> share bytes
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    const std::vector<int> v(5);
    std::vector<bool> bits(5);
    leat::parallel_exclusive_scan(v.begin(), v.end(), bits.begin(), false, [](bool a, bool b) { return a != b; });
  });
}
