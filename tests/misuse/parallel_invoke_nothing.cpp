// says: leat::parallel_invoke: there is nothing to call
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_invoke(); });
}
