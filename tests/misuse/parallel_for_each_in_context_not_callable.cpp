// says: leat::parallel_for_each: f must be callable with an element, or with a leat::context and an element
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    leat::with_context(
        [](leat::context c) { leat::parallel_for_each(c, std::vector<int>(5), [](std::vector<int>&) {}); });
  });
}
