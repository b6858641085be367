// says: leat::parallel_invoke: a result must be movable
#include <leat/leat.hpp>

#include <mutex>

int main() {
  leat::runtime rt;
  rt.run([] { leat::parallel_invoke([] { return std::mutex(); }, [] {}); });
}
