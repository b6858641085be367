// says: leat::parallel_transform: f must be callable with an element
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  std::vector<int> v(5);
  rt.run([&] { leat::parallel_transform(v.begin(), v.end(), v.begin(), [](int, int) { return 0; }); });
}
