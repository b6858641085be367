// says: the fractions that map returns would be lost: write the identity as 0.0
#include <functional>
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] {
    const auto halves = [](leat::block<int> b, int so_far) { return so_far + 0.5 * static_cast<double>(b.size()); };
    leat::parallel_reduce(0, 10, 0, halves, std::plus<>());
  });
}
