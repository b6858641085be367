// says: leat::parallel_sort: comp(a, b) must be callable with two const elements, and return a bool
#include <leat/leat.hpp>

#include <vector>

struct point {
  int x, y;
};

int main() {
  leat::runtime rt;
  rt.run([] {
    std::vector<point> points;
    leat::parallel_sort(points);
  });
}
