// says: leat: map must be callable with an index or an element
#include <functional>
#include <leat/leat.hpp>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_reduce(0, 10, 0, [](const char*) { return 0; }, std::plus<>()); });
}
