// says: leat: elements of a std::vector<bool> share bytes
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  std::vector<int> v(5);
  std::vector<bool> bits(5);
  rt.run([&] { leat::parallel_transform(v.begin(), v.end(), bits.begin(), [](int x) { return x > 0; }); });
}
