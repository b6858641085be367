// says: leat::fork_join: every argument must be callable without arguments or with a leat::context
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::with_context([](leat::context c) { leat::fork_join(c, [](int) {}, [] {}); }); });
}
