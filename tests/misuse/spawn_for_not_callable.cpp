// says: leat::spawn_for: body must be callable with an index, or with a leat::block of them
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] {
    leat::task_group group;
    leat::spawn_for(group, 0, 10, [](const char*) {});
    group.wait();
  });
}
