// says: leat::fork_join: every argument must be callable without arguments or with a leat::context; for the callables of a container, use a std::array or leat::parallel_for_each
#include <functional>
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    std::vector<std::function<void()>> callables(3, [] {});
    leat::fork_join(callables);
  });
}
