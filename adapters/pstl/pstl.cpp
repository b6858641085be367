// What std::execution::par stands on: leat's forks and loops, by the default runtime where the thread is no worker.
#include <cstddef>

#include "leat/block.hpp"
#include "leat/fork_join.hpp"
#include "leat/handshake/proxies.hpp"
#include "leat/parallel_for.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/runtime.hpp"
#include "leat/task/insider.hpp"
#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

namespace {

using worker = scheduler::worker<platform::chosen>;

// Calls f as a worker: of the run that the thread is in, or of the default runtime. A thread inside leat::blocking can become
// none, so others do it.
template <class F>
void inside(const F& f) {
  if (platform::chosen::own<handshake::left_workers>().count != 0) {
    static runtime& own = *new runtime();  // never destroyed: threads may loop until the process ends
    return own.run(f);
  }
  const task::insider<platform::chosen> in("pstl");
  f();
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

}  // namespace leat::inline LEAT_ABI::adapters::pstl
