// says: leat::with_context: f must be callable with a leat::context
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::with_context([] {}); });
}
