// says: parlay::par_do: both must be callable without arguments
#include <leat_parlay.hpp>

int main() {
  parlay::fork_join_scheduler s;
  s.pardo([] {}, 7);
}
