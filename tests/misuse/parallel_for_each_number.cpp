// says: leat::parallel_for_each: it runs over a range, or between two random access iterators of one type
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_for_each(0, 10, [](int) {}); });
}
