// What a worker does with steal requests: a pure transition function. Page with the rules: docs/internals/protocol.md.
//
// Nothing here is atomic, asks a clock or draws a number that its arguments do not determine, so the same code runs in
// the scheduler and in a model checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "leat/protocol/request.hpp"
#include "leat/protocol/victims.hpp"

namespace leat::inline LEAT_ABI::protocol {

/// What the holder of a request knows of itself.
struct holder {
  worker_id self = 0;
  run_id run = no_run;    ///< the run whose tasks it has; no_run when it is idle
  std::size_t tasks = 0;  ///< how many tasks it could give away
};

/// What is to be done with a request.
struct decision {
  enum class kind : std::uint8_t {
    serve,    ///< answer it with tasks
    forward,  ///< send it to worker `to`
    pool,     ///< send it to the manager, which puts it into the idle pool
  };
  kind what = kind::pool;
  worker_id to = 0;
  bool update = false;  ///< with serve: first tell the manager that the thief now works for the holder's run

  friend bool operator==(const decision&, const decision&) = default;
};

/// What is to be done with a request, and what the request says from then on: the one that is answered, or sent on.
struct verdict {
  decision what;
  request then;
};

/// WORKER-1: a new request goes to the last victim or to one at random, unless only the manager can know which worker
/// has what it wants: tasks of one run, or the root of a run that waits to begin (`roots_wait`). `may(worker)` tells
/// whether that worker may have something.
template <class May = anybody>
decision begin(const request& s, victims& next, std::optional<worker_id> last_victim, bool roots_wait,
               const May& may = {}) {
  next.restart(last_victim);
  if (s.only != no_run || roots_wait) return {};
  if (const auto to = next.next(s.thief, may)) return {decision::kind::forward, *to, false};
  return {};
}

/// WORKER-3: a holder without tasks passes the request on; after the last attempt it is pooled.
/// Also the answer to a refusal: the channel of the chosen victim was closed.
template <class May = anybody>
decision pass_on(const request& s, victims& next, worker_id self, const May& may = {}) {
  if (s.only != no_run) return {};
  if (const auto to = next.next(self, may)) return {decision::kind::forward, *to, false};
  return {};
}

/// WORKER-2: a holder with tasks that are welcome serves the request. If the manager counts the thief elsewhere, it is
/// told first, by the victim (thesis 4.1.2, Figure 4.3), and the request says so from then on.
template <class May = anybody>
verdict on_request(const holder& me, const request& s, victims& next, const May& may = {}) {
  const bool welcome = s.only == no_run || s.only == me.run;
  if (me.tasks == 0 || !welcome) return {pass_on(s, next, me.self, may), s};
  request served = s;
  served.known = me.run;
  if (s.status == status::registered_idle) served.status = status::idle;
  return {{decision::kind::serve, 0, s.known != me.run}, served};
}

/// The holder of a leapfrog request, as it knows itself. The request wants only descendants of the work that its
/// thief awaits.
struct leapfrog_holder {
  bool has_awaited = false;  ///< it has a task that is awaited itself, and not begun
  bool executes = false;  ///< it executes what is awaited, or something in that
  bool has_fork = false;  ///< if so: its oldest fork descends from that
  bool has_tasks = false;  ///< if so: it has tasks that descend from that
  std::optional<worker_id> onward;  ///< if so: the worker that executes a part of that, given away and not done
};

/// What is to be done with a leapfrog request.
enum class leapfrog : std::uint8_t {
  give_awaited,
  give_fork,
  give_task,
  forward,  ///< to `onward`
  keep,  ///< until there is something to give, or what is awaited is done
  decline,  ///< answer it with nothing: the holder knows nothing of what is awaited
};

/// LEAPFROG-2 to LEAPFROG-5: leapfrogging (thesis 4.3.2). The awaited task itself comes first, as it ends the wait
/// soonest. Only a worker that executes the awaited work keeps a request, so it is answered at the latest when that
/// is done.
constexpr leapfrog on_leapfrog_request(const leapfrog_holder& me) {
  if (me.has_awaited) return leapfrog::give_awaited;
  if (!me.executes) return leapfrog::decline;
  if (me.has_fork) return leapfrog::give_fork;
  if (me.has_tasks) return leapfrog::give_task;
  return me.onward ? leapfrog::forward : leapfrog::keep;
}

/// How many tasks an answer carries: one, or half of what there is, rounded down but not to nothing, and at most
/// `batch_max` so that a long deque is not moved in one piece.
inline constexpr std::size_t batch_max = 1024;

constexpr std::size_t batch(amount wanted, std::size_t tasks) {
  if (wanted == amount::one || tasks < 2) return tasks < 1 ? tasks : 1;
  return tasks / 2 < batch_max ? tasks / 2 : batch_max;
}

}  // namespace leat::inline LEAT_ABI::protocol
