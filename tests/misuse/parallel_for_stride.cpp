// says: leat::parallel_for: there is no stride: run over the number of steps
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_for(0, 10, 2, [](int) {}); });
}
