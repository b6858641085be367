// says: leat::async, leat::submit: f cannot be called with these arguments
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  (void)rt.submit([](int i) { return i; }, "text").get();
}
