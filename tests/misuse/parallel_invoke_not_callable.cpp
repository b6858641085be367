// says: leat::parallel_invoke: every argument must be callable without arguments or with a leat::context
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_invoke([](int) {}, [] {}); });
}
