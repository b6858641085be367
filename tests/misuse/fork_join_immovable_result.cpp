// says: leat::fork_join: a result must be movable
#include <leat/leat.hpp>

struct immovable {
  immovable() = default;
  immovable(immovable&&) = delete;
};

int main() {
  leat::runtime rt;
  rt.run([] { leat::fork_join([] {}, [] { return immovable(); }); });
}
