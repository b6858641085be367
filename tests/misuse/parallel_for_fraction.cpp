// says: leat::parallel_for: it runs from a whole number to another
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_for(0, 10.0, [](int) {}); });
}
