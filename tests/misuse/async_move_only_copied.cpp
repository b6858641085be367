// says: leat::async, leat::submit: f and its arguments are copied into the task
#include <leat/leat.hpp>

#include <memory>

int main() {
  leat::runtime rt;
  rt.run([] {
    const auto f = [i = std::make_unique<int>(1)] { return *i; };
    (void)leat::async(f);
  });
}
