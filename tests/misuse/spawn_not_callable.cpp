// says: leat::spawn: f must be callable without arguments
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::spawn([](int) {}); });
}
