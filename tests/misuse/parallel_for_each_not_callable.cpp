// says: leat::parallel_for_each: f must be callable with an element
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_for_each(std::vector<int>(5), [](std::vector<int>&) {}); });
}
