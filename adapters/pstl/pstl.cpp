// What std::execution::par stands on: leat's forks, by the default runtime where the thread is no worker.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "inside.hpp"
#include "leat/fork_join.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/platform/process_lock.hpp"
#include "leat/spawn.hpp"
#include "leat/strands/strands.hpp"
#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

using worker = scheduler::worker<platform::chosen>;

namespace {

// How many workers an algorithm counts with. If it is recorded, one may do what many would.
template <class P>
std::size_t divided_among(std::size_t workers) noexcept {
  if constexpr (strands::profiles<P>) {
    using session = strands::session<P>;
    if (session::on() && session::number() > session::off)
      return std::max<std::size_t>(workers, session::workers_least);
  }
  return workers;
}

}  // namespace

// No static variable's initialisation: a child that was forked meanwhile would wait for ever for the thread that was at it. A child
// has a runtime of its own, as its parent's has no workers there.
runtime& runtime_of_blocked() {
  static constinit platform::process_lock<platform::chosen> making{};
  static constinit runtime* made = nullptr;
  static constinit platform::chosen::atomic<runtime*> of_parent{nullptr};  // where a search for leaks finds it
  static constinit std::uint64_t made_in = 0;
  const decltype(making)::holding alone(making);
  if (const std::uint64_t process = platform::chosen::process_id(); made == nullptr || made_in != process) {
    of_parent.store(std::exchange(made, nullptr), platform::relaxed);  // relaxed: for no reader
    made = new runtime();
    made_in = process;
  }
  return *made;
}

void enter_job(job j) {
  inside([j] { j.call(j.callable); });
}

// Polls once `right` is forked: a thief that asks already need not wait for the first piece of `left`.
void fork_jobs(job left, job right) {
  const auto first = [left] {
    poll();
    left.call(left.callable);
  };
  fork_join(first, [right] { right.call(right.callable); });
}

std::size_t workers() noexcept { return divided_among<platform::chosen>(worker::current()->workers()); }

const void* this_worker() noexcept { return worker::current(); }

}  // namespace leat::inline LEAT_ABI::adapters::pstl
