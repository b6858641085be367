// says: leat::runtime::run: of a const runtime. The default runtime has no run
#include <leat/leat.hpp>

int main() {
  leat::default_runtime().run({.workers_max = 2}, [] {});
}
