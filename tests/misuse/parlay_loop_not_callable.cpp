// says: parlay::parallel_for: f must be callable with an index
#include <leat_parlay.hpp>

int main() {
  parlay::fork_join_scheduler s;
  s.parfor(0, 10, [] {});
}
