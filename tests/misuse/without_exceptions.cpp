// says: leat needs exceptions, which carry what a task throws: compile without -fno-exceptions
// flags: -fno-exceptions
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::async([] { return 1; }).get(); });
}
