// says: leat::worker_local: T must be copyable
#include <leat/leat.hpp>

#include <memory>

int main() {
  leat::runtime rt;
  leat::worker_local<std::unique_ptr<int>> each(rt);
}
