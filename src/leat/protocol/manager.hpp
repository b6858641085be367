// The manager: it counts which workers are idle and which work for which run, finds which runs are done, and keeps
// the idle pool (thesis 4.1, 4.2). Page: docs/internals/protocol.md.
//
// A pure transition function: messages in, actions out. The scheduler gives it one message after the other, so
// nothing here is atomic. Actions go to a vector of the caller, in the order in which they must be carried out. The
// model checker copies and compares managers (operator==).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::protocol {

/// One thing that the manager wants done. The combiner carries it out, and may report a refused hand as a request
/// again.
struct action {
  enum class kind : std::uint8_t {
    hand,  ///< send `about` to worker `to`, which offered tasks; if its channel is closed, send it back here
    root,  ///< answer `about` with the root of `run`
    dummy,  ///< answer `about` with nothing: it is revoked, and the thief may go on or ask anew
    stop,  ///< answer `about`: the worker may leave
    finished,  ///< all tasks of `run` are done, its root too
  };
  kind what;
  request about = {};
  worker_id to = 0;
  run_id run = no_run;

  friend bool operator==(const action&, const action&) = default;
};

class manager {
 public:
  /// Runs of callers that may be under way or wait to begin at once. Beside them there may be one drain's for each worker (SUBMIT-8).
  static constexpr std::size_t runs_max = 1024;

  /// Actions that one message may cause: a stop answers every worker; anything else causes a few. The combiner
  /// reserves room for so many, as it may not allocate.
  static constexpr std::size_t actions_max(std::size_t workers) { return workers + 8; }

  /// All workers begin idle; their first requests are on the way. The `spares`, which compensate for blocked workers,
  /// have the numbers after the `workers`, and may come later or never. Allocates all that it will ever need.
  explicit manager(std::size_t workers, std::size_t spares = 0)
      : workers_(workers),
        known_(workers + spares, no_run),
        recalled_(workers + spares, false),
        compensates_(spares, false) {
    active_.reserve(workers + spares + 1);
    pool_.reserve(workers + spares + 1);
    waiting_.reserve(runs_max + workers + spares);
    dormant_.reserve(spares);
  }

  /// MANAGER-1: a request is pooled. If its thief is idle it is counted so, which may finish a run or release
  /// its barrier. It is answered at once if a root waits, if the thief recalled it, or if the runtime stops.
  void on_request(request s, std::vector<action>& out) {
    if (s.status == status::idle) {
      s.status = status::registered_idle;
      s.known = no_run;
      recalled_[s.thief] = false;  // idle: it is past the wait that it wanted back
      if (s.only == no_run && is_spare(s.thief) && !compensate(s.thief)) {
        count_under(s.thief, no_run, out);
        if (stopping_) out.push_back({action::kind::stop, s, 0, no_run});
        else dormant_.push_back(s);
        return;
      }
      pool_.push_back(s);
      count_under(s.thief, no_run, out);
      // The request may have been answered by its own registration (MANAGER-5).
      if (!pool_.empty() && pool_.back().thief == s.thief) answer_idle(out);
      return;
    }
    if (s.status == status::working && recalled_[s.thief]) {
      recalled_[s.thief] = false;
      out.push_back({action::kind::dummy, s, 0, no_run});
      return;
    }
    pool_.push_back(s);
  }

  /// MANAGER-2: the victim's word that `thief` now works for `run`.
  void on_update(worker_id thief, run_id run, std::vector<action>& out) { count_under(thief, run, out); }

  /// MANAGER-3: `worker` has tasks of `run` to give and no thief to give them to. The youngest pooled request that
  /// wants them is handed over; its thief is counted as working already, so that its victim owes no update. Where there is no
  /// room for more workers in the run, only a request for tasks of that run is (CAP-4).
  void on_offer(worker_id worker, run_id run, std::vector<action>& out, bool has_room = true) {
    for (std::size_t i = pool_.size(); i-- > 0;) {
      request s = pool_[i];
      if (s.thief == worker || (s.only != no_run && s.only != run)) continue;
      if (s.only == no_run && !has_room) continue;
      pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(i));
      if (s.status == status::registered_idle) {
        s.status = status::idle;
        s.known = run;
        count_under(s.thief, run, out);
      }
      out.push_back({action::kind::hand, s, worker, no_run});
      return;
    }
  }

  /// MANAGER-4: a run begins when an idle worker is there for its root; runs wait in the order in which they came. At
  /// most runs_max runs may be under way.
  void on_submit(run_id run, std::vector<action>& out) {
    waiting_.push_back(run);
    for (std::size_t i = pool_.size(); i-- > 0;) {
      if (pool_[i].status != status::registered_idle || pool_[i].only != no_run) continue;
      give_root(i, out);
      return;
    }
  }

  /// MANAGER-6: `thief` left the wait for which it asked; its request, if it is pooled, is to be revoked.
  void on_recall(worker_id thief, std::vector<action>& out) {
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      if (pool_[i].thief != thief || pool_[i].status != status::working) continue;
      out.push_back({action::kind::dummy, pool_[i], 0, no_run});
      pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    recalled_[thief] = true;
  }

  /// MANAGER-9: a worker blocks. The spare that went dormant last compensates for it, as if its request had just come
  /// to the pool. A spare that comes later may do so too.
  void on_block(std::vector<action>& out) {
    ++blocked_;
    if (compensating_ >= blocked_ || dormant_.empty()) return;
    const request s = dormant_.back();
    dormant_.pop_back();
    compensate(s.thief);
    pool_.push_back(s);
    answer_idle(out);
  }

  /// MANAGER-9: a worker that blocked is back. If too many spares compensate, one of them that is idle goes dormant; if
  /// none is, the next one that becomes idle will.
  void on_return() {
    --blocked_;
    if (compensating_ <= blocked_) return;
    for (std::size_t i = pool_.size(); i-- > 0;) {
      const request s = pool_[i];
      if (!is_spare(s.thief) || s.status != status::registered_idle || s.only != no_run) continue;
      pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(i));
      compensate(s.thief);
      dormant_.push_back(s);
      return;
    }
  }

  /// MANAGER-7: no more runs will come. Every idle worker may leave, now or when it becomes idle, once no root waits;
  /// dormant ones at once, as no root is for them.
  void on_stop(std::vector<action>& out) {
    stopping_ = true;
    for (const request& s : dormant_) out.push_back({action::kind::stop, s, 0, no_run});
    dormant_.clear();
    std::erase_if(pool_, [&out](const request& s) {
      if (s.status != status::registered_idle || s.only != no_run) return false;
      out.push_back({action::kind::stop, s, 0, no_run});
      return true;
    });
  }

  /// Requests in the idle pool: workers that could run what others offer.
  std::size_t pooled() const { return pool_.size(); }

  /// The idle worker whose request was pooled last; with `later`, the last but so many. It is the one most likely to
  /// be awake.
  std::optional<worker_id> idle(std::size_t later) const {
    for (std::size_t i = pool_.size(); i-- > 0;) {
      if (pool_[i].status == status::registered_idle && later-- == 0) return pool_[i].thief;
    }
    return std::nullopt;
  }

  /// Spares whose requests wait until a worker blocks.
  std::size_t dormant() const { return dormant_.size(); }

  /// Runs that wait for an idle worker.
  std::size_t waiting() const { return waiting_.size(); }

  /// The run that `worker` is counted under; no_run when it is registered as idle.
  run_id known(worker_id worker) const { return known_[worker]; }

  friend bool operator==(const manager&, const manager&) = default;

 private:
  struct active {
    run_id run;
    std::size_t workers;  // that are counted under it; at least 1
    friend bool operator==(const active&, const active&) = default;
  };

  bool is_spare(worker_id w) const { return w >= workers_; }

  // MANAGER-8: whether spare `w`, which is idle, compensates for a blocked worker from now on. Never more spares do
  // that than workers block, except for those that have not yet become idle.
  bool compensate(worker_id w) {
    auto&& compensates = compensates_[w - workers_];
    if (compensates) --compensating_;
    compensates = compensating_ < blocked_;
    if (compensates) ++compensating_;
    return compensates;
  }

  // The request at the back of pool_ is that of an idle worker, which has just come. A root goes before the stop, as
  // runs that were submitted are still to be executed.
  void answer_idle(std::vector<action>& out) {
    const request s = pool_.back();
    if (s.only != no_run) return;
    if (!waiting_.empty()) {
      give_root(pool_.size() - 1, out);
    } else if (stopping_) {
      pool_.pop_back();
      out.push_back({action::kind::stop, s, 0, no_run});
    }
  }

  // MANAGER-4: the thief of pooled request i begins the run that has waited longest. It is counted in the same step,
  // so the run has a worker before its root is on the way.
  void give_root(std::size_t i, std::vector<action>& out) {
    request s = pool_[i];
    pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(i));
    const run_id run = waiting_.front();
    waiting_.erase(waiting_.begin());
    s.status = status::idle;
    s.known = run;
    count_under(s.thief, run, out);
    out.push_back({action::kind::root, s, 0, run});
  }

  // Counts `worker` under `run`, or as idle (no_run); the run that it leaves may be done. It enters the new run
  // before it leaves the old one, so an action that ends that finds the worker where it is.
  void count_under(worker_id worker, run_id run, std::vector<action>& out) {
    const run_id before = known_[worker];
    if (before == run) return;
    known_[worker] = run;
    if (run != no_run) entry(run).workers += 1;
    if (before != no_run) leave(before, out);
  }

  // Found by a linear search: there are few runs, mostly one. A new entry has no worker yet; the caller adds one.
  active& entry(run_id run) {
    for (active& a : active_) {
      if (a.run == run) return a;
    }
    return active_.emplace_back(active{run, 0});
  }

  // MANAGER-5: when the last worker of a run becomes idle, all its tasks are done. A root that waits in the barrier is
  // woken by revoking its request, and is counted as working again before anything else can happen; else the run is
  // finished.
  void leave(run_id run, std::vector<action>& out) {
    active& a = entry(run);
    assert(a.workers != 0);
    if (--a.workers != 0) return;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      request s = pool_[i];
      if (s.only != run || s.status != status::registered_idle) continue;
      pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(i));
      s.status = status::idle;
      s.known = run;
      known_[s.thief] = run;
      a.workers = 1;
      out.push_back({action::kind::dummy, s, 0, run});
      return;
    }
    active_.erase(active_.begin() + (&a - active_.data()));
    out.push_back({action::kind::finished, {}, 0, run});
  }

  std::size_t workers_;  // without spares
  std::vector<run_id> known_;  // by worker
  std::vector<bool> recalled_;  // by worker
  std::vector<active> active_;  // runs with workers; few
  std::vector<request> pool_;  // in order of arrival
  std::vector<run_id> waiting_;  // runs whose root no worker has yet
  bool stopping_ = false;
  std::vector<bool> compensates_;  // by spare; how many do:
  std::size_t compensating_ = 0;
  std::size_t blocked_ = 0;  // workers
  std::vector<request> dormant_;  // of idle spares, out of reach of all offers and roots (MANAGER-8)
};

}  // namespace leat::inline LEAT_ABI::protocol
