// says: leat: map must return a value for an index, for an element of the range, or (with an identity) for a leat::block
#include <functional>
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_reduce(0, 10, 0, [](const char*) { return 0; }, std::plus<>()); });
}
