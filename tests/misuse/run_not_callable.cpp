// says: leat::runtime::run: f must be callable
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([](int) {});
}
