// says: leat::team: the number of workers is an option: leat::team t({.workers = 4})
#include <leat/leat.hpp>

int main() {
  leat::team t(4);
  t.call([] {});
}
