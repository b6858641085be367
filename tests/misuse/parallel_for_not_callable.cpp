// says: leat::parallel_for: body must be callable with an index, or with a leat::block of them
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_for(0, 10, [](const char*) {}); });
}
