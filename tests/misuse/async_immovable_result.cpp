// says: leat::async, leat::submit: what f returns cannot be moved
#include <leat/leat.hpp>

struct immovable {
  immovable() = default;
  immovable(immovable&&) = delete;
};

int main() {
  leat::runtime rt;
  rt.run([] { (void)leat::async([] { return immovable(); }); });
}
