// says: the fractions that op returns would be lost: write init as 0.0
#include <leat/leat.hpp>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    std::vector<double> v(5, 0.5);
    leat::parallel_exclusive_scan(v.begin(), v.end(), v.begin(), 0);
  });
}
