// The root of a run: how a callable becomes one, on a thread that need not be a worker.
#pragma once

#include <exception>
#include <utility>

#include "leat/platform/thrown.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/work/errors.hpp"
#include "leat/work/run.hpp"

namespace leat::entry {

/// Whether the calling thread is a worker of `engine`: then it calls what is to be a root itself. Throws forked_process in a
/// forked child.
template <class P>
bool is_inside(const scheduler::channel_scheduler<P>& engine) {
  if (engine.forked()) throw forked_process("leat::runtime::run: this process was forked; its runtime has no workers");
  const auto* const w = scheduler::worker<P>::current();
  return w != nullptr && &w->home == &engine;
}

/// Calls root(body) as the root of a run of `engine`, and returns when all its tasks are done. For a thread that is not inside.
/// Throws the first exception that root or a task let out.
template <class P>
void execute_root(scheduler::channel_scheduler<P>& engine, void (*root)(void*), void* body) {
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
  work::run<P> r(engine.new_run_id(), guard, &call);
  call.of = &r;
  engine.execute(r);
  if (auto failure = r.take_failure()) std::rethrow_exception(failure);
}

}  // namespace leat::entry
