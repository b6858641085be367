// says: leat::blocking: f must be callable
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::blocking([](int) {}); });
}
