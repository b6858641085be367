// compiles
#include <leat/leat.hpp>

#include <array>
#include <memory>
#include <string>

int one() { return 1; }

int main() {
  leat::runtime rt;
  rt.run([] {
    leat::fork_join([] {});
    leat::fork_join(one, [] { return std::string(); }, [](leat::context) { return std::make_unique<int>(2); });
    leat::fork_join(std::array{one, one});
    leat::with_context([](leat::context c) {
      leat::fork_join(c, [] {}, [](leat::context) {});
      leat::fork_join(c, std::array{one, one});
    });
  });
}
