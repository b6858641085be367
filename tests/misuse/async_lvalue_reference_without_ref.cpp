// says: which are passed as rvalues (std::ref
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  int i = 0;
  rt.run([&] { (void)leat::async([](int& j) { ++j; }, i); });
}
