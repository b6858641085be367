// says: leat: combine must be callable with two values of a reduction, and give one
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_reduce(0, 10, 0, [](int i) { return i; }, [](int i) { return i; }); });
}
