// says: the fractions that combine returns would be lost: write the identity as 0.0
#include <functional>
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    const std::vector<double> v(5, 0.5);
    leat::parallel_reduce(v, 0, [](double x) { return x; }, std::plus<>());
  });
}
