// says: leat: combine must be callable with two values of a reduction, and give one
#include <leat/leat.hpp>
#include <string>

int main() {
  leat::runtime rt;
  rt.run([] {
    leat::parallel_reduce(0, 10, std::string(), [](int i) { return i; }, [](std::string a, int) { return a; });
  });
}
