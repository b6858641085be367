// compiles
#include <leat/leat.hpp>

#include <memory>

int main() {
  leat::runtime rt;
  return rt.run([] {
    auto moved = leat::async([](std::unique_ptr<int> i) { return i; }, std::make_unique<int>(1));
    int counted = 0;
    auto reference = leat::async([](int& i) -> int& { return ++i; }, std::ref(counted));
    leat::shared_future<int> shared = leat::async([n = 0]() mutable { return n++; });
    leat::shared_future<int> copy = shared;
    return *moved.get() + reference.get() + copy.get() + shared.get();
  });
}
