// says: leat::runtime: the number of workers is an option: leat::runtime rt({.workers = 4})
#include <leat/leat.hpp>

int main() {
  leat::runtime rt(4);
  rt.run([] {});
}
