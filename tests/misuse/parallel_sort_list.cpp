// says: leat::parallel_sort: the range must have random access iterators
#include <leat/leat.hpp>

#include <list>

int main() {
  leat::runtime rt;
  rt.run([] {
    std::list<int> numbers;
    leat::parallel_sort(numbers);
  });
}
