// The root of a run: how a callable becomes one, on a thread that need not be a worker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "leat/platform/thrown.hpp"
#include "leat/protocol/published.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/work/errors.hpp"
#include "leat/work/run.hpp"

namespace leat::inline LEAT_ABI::entry {

/// No cap on the workers of a run.
template <class P>
inline constexpr std::uint32_t uncapped = handshake::admission<P>::uncapped;

/// Whether the calling thread is a worker of `engine`: then it calls what is to be a root itself. Throws forked_process in a
/// forked child; std::logic_error for a worker whose run may use more workers than that.
template <class P>
bool is_inside(const scheduler::channel_scheduler<P>& engine, std::uint32_t workers_max) {
  if (engine.forked()) throw forked_process("leat::runtime::run: this process was forked; its runtime has no workers");
  const auto* const w = scheduler::worker<P>::current();
  if (w == nullptr || &w->home != &engine) return false;
  const std::uint32_t around = std::min(w->runner.current_run()->workers().most(), engine.all_workers());
  if (workers_max < around)
    throw std::logic_error("leat::runtime::run: workers_max = " + std::to_string(workers_max) +
                           ": the call is part of the run around it, which may use " + std::to_string(around) +
                           " workers");
  return true;
}

/// Calls root(body) as the root of a run of `engine`, and returns when all its tasks are done. For a thread that is not inside.
/// Throws the first exception that root or a task let out; std::invalid_argument for a cap under a published scheduler.
template <class P>
void execute_root(scheduler::channel_scheduler<P>& engine, void (*root)(void*), void* body, std::uint32_t workers_max) {
  if (workers_max >= engine.all_workers()) workers_max = uncapped<P>;
  if (const auto p = engine.config().published; p != protocol::published::none && workers_max != uncapped<P>)
    throw std::invalid_argument("leat::runtime::run: workers_max = " + std::to_string(workers_max) +
                                ": the scheduler '" + std::string(protocol::name_of(p)) + "' has all its " +
                                std::to_string(engine.all_workers()) + " workers, with compensating ones, in each run");
  struct guarded {
    void (*root)(void*);
    void* body;
    work::run<P>* of;
  } call{root, body, nullptr};
  const auto guard = [](void* p) {
    const guarded& g = *static_cast<guarded*>(p);
    try {
      g.root(g.body);
    } catch (...) {
      g.of->fail(platform::thrown());
    }
  };
  work::run<P> r(engine.runs().new_id(), guard, &call, workers_max);
  call.of = &r;
  engine.execute(r);
  if (auto failure = r.take_failure()) std::rethrow_exception(failure);
}

}  // namespace leat::inline LEAT_ABI::entry
