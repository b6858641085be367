// says: leat::async, leat::submit: f cannot be called with these arguments
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { (void)leat::async([](int i) { return i; }); });
}
