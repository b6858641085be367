// Plain tasks: spawned, and awaited only by the end of the run or a barrier, which wait for all of them.
#pragma once

#include <utility>

#include "leat/entry/instances.hpp"
#include "leat/scheduler/footing.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/errors.hpp"

namespace leat::inline LEAT_ABI::task {

/// The worker that the calling thread is: one thread-local load.
/// \param what  the public function, for the message
/// \throws not_a_worker on any other thread
template <class P>
[[gnu::always_inline]] inline scheduler::worker<P>& this_worker(const char* what) {
  auto* w = scheduler::worker<P>::current();
  if (w == nullptr) [[unlikely]]
    throw_not_a_worker(what);
  return *w;
}

/// See leat::spawn.
template <class P, class F>
void spawn(F&& f) {
  auto& me = this_worker<P>("spawn");
  if constexpr (strands::profiles<P>) {
    if (strands::session<P>::on()) {
      return strands::spawn<P>(nullptr, std::forward<F>(f),
                               [&me](auto&& call) { me.runner.spawn(std::forward<decltype(call)>(call)); });
    }
  }
  me.runner.spawn(std::forward<F>(f));
}

/// See leat::barrier.
template <class P>
void barrier() {
  auto& me = this_worker<P>("barrier");
  [[maybe_unused]] const strands::pause<P> here;
  me.waiter.barrier();
  if constexpr (strands::profiles<P>) strands::barrier_ended<P>();
}

/// See leat::poll. A carrier of green threads, which this floor does not know, may have left a function to call, too,
/// in a word of the thread.
template <class P>
void poll() noexcept {
  auto* const w = scheduler::worker<P>::current();
  if (w == nullptr) return;
  w->poll();
  const scheduler::carried_poll& also = P::template own<scheduler::carried_poll>();
  if (also.polls != nullptr) [[unlikely]]
    also.polls(also.carrier);  // the last: it may come back on another worker
}

}  // namespace leat::inline LEAT_ABI::task
