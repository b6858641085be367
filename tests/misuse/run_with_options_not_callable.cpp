// says: leat::runtime::run: f must be callable without arguments
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run({.workers_max = 2}, [](int) {});
}
