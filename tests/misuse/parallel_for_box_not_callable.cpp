// says: leat::parallel_for: body must be callable with an index for each side, or with a block
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_for(leat::range2d(2, 3), [](int) {}); });
}
