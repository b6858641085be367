// says: leat::task_group::spawn_after: f must be callable
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] {
    leat::task_group g;
    g.spawn_after({}, [](int) {});
  });
}
