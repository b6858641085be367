// says: leat::team::call: f must be callable
#include <leat/leat.hpp>

int main() {
  leat::team t;
  t.call([](int) {});
}
