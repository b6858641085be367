// says: leat::fork_join: there is nothing to call
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::fork_join(); });
}
