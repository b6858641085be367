// says: deleted
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] {
    auto f = leat::async([] { return 1; });
    leat::spawn([f]() mutable { f.get(); });
  });
}
