// says: leat::graph::add: f must be callable
#include <leat/leat.hpp>

int main() {
  leat::graph g;
  g.add([](int) {});
}
