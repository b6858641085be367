// compiles
#define LEAT_PARLAY_SCHEDULER channel
#define LEAT_PARLAY_PARTS_PER_WORKER 16
#include <leat_parlay.hpp>

#include <cstddef>

namespace {

struct job {};
int called(bool) { return 1; }

}  // namespace

int main() {
  parlay::fork_join_scheduler of_environment, of_two(2);
  of_environment.pardo([] {}, [] { return 1; });
  of_two.pardo([] {}, [] {}, true);
  of_two.parfor(0, 10, [](std::size_t) {});
  of_two.parfor(0, 10, [](long i) { return i; }, 3, true);
  parlay::scheduler<job> s(2);
  parlay::fork_join_scheduler::pardo(s, [] {}, [] {});
  parlay::fork_join_scheduler::pardo(s, [] { called(true); }, [] {}, true);
  parlay::fork_join_scheduler::parfor(s, 0, 10, [](std::size_t) {});
  const parlay::scheduler<job>* current = parlay::scheduler<job>::get_current_scheduler();
  const parlay::scheduler<job>::worker_id_type workers = s.num_workers();
  return current == &s && workers == s.num_threads ? static_cast<int>(s.worker_id()) : 1;
}
