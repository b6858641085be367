// What std::execution::par stands on: the process's own runtime, and leat's forks and loops on it.
#include <cstddef>

#include "leat/block.hpp"
#include "leat/fork_join.hpp"
#include "leat/parallel_for.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/runtime.hpp"
#include "leat_pstl_workers.hpp"

namespace leat::adapters::pstl {

namespace {

using worker = scheduler::worker<platform::chosen>;

// Calls f as a worker.
template <class F>
void inside(const F& f) {
  if (worker::current() != nullptr) return f();
  static runtime& own = *new runtime();  // never destroyed: threads may loop until the process ends
  own.run(f);
}

}  // namespace

void enter_job(job j) {
  inside([j] { j.call(j.callable); });
}

void fork_jobs(job left, job right) {
  fork_join([left] { left.call(left.callable); }, [right] { right.call(right.callable); });
}

void loop(std::size_t n, iterations each) {
  inside([n, each] {
    parallel_for(std::size_t{0}, n,
                 [each](const block<std::size_t>& b) { each.call(each.callable, b.first(), b.last()); });
  });
}

std::size_t workers() noexcept { return worker::current()->workers(); }

const void* this_worker() noexcept { return worker::current(); }

}  // namespace leat::adapters::pstl
