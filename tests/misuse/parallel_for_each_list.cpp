// says: leat::parallel_for_each: the elements must have random access iterators, as those of a std::vector
#include <leat/leat.hpp>

#include <list>

int main() {
  leat::runtime rt;
  rt.run([] {
    std::list<int> numbers;
    leat::parallel_for_each(numbers, [](int&) {});
  });
}
