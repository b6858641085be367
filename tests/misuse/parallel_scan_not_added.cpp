// says: leat::parallel_scan: op(sum, element) and op(sum, sum) must return a sum
#include <leat/leat.hpp>

#include <vector>

struct point {
  int x, y;
};

int main() {
  leat::runtime rt;
  rt.run([] {
    std::vector<point> points;
    leat::parallel_inclusive_scan(points.begin(), points.end(), points.begin());
  });
}
