// says: the fractions that combine returns would be lost: write the identity as 0.0
#include <functional>
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    const std::vector<float> v(5, 0.5f);
    leat::deterministic_reduce(v, 0L, [](float x) { return x; }, std::plus<>());
  });
}
