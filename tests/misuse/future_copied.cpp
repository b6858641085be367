// says: deleted
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] {
    auto f = leat::async([] { return 1; });
    auto g = f;
    return f.get() + g.get();
  });
}
