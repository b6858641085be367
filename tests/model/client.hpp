// What the explored workers run: small programs, and how the world stands when they begin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leat::model {

using task_id = std::uint8_t;     // 1 and up; 0 is no task
using run_number = std::uint8_t;  // 1 and up; 0 is no run

inline constexpr unsigned workers_max = 3;
inline constexpr unsigned tasks_max = 15;
inline constexpr unsigned runs_max = 2;

/// One operation of a task. `spawn` and `wait` name a task: spawned by this operation, or by an earlier one of this task.
struct operation {
  enum class kind : std::uint8_t { spawn, wait, barrier };
  kind what;
  task_id task = 0;
};

struct program_task {
  run_number run = 0;
  std::vector<operation> operations;
  bool awaited = false;
};

/// A race to plant into the model, one at a time; each is a thing that the rules of docs/internals/protocol.md forbid.
enum class plant : std::uint8_t {
  none,
  thief_updates,  ///< the thief tells the manager, after it has its tasks (thesis, Figure 4.2), against WORKER-2
  claims_idle,  ///< a worker that waits inside a task says that it is idle, against WORKER-4
  two_channels,  ///< updates reach the manager by a channel of their own, against MANAGER-2
  release_uncounted,  ///< a root released from its barrier is not counted as working, against MANAGER-5
  close_without_drain,  ///< what came before the channel closed stays inside, against WORKER-5
  raise_first,  ///< the victim is asked to poll before the request is sent, against DEQUE-2
  refused_dropped,  ///< a request handed to a closed channel is dropped, against MANAGER-3
  offer_uncounted,  ///< a request is handed over, but its thief not counted as working, against MANAGER-3
  two_holders,  ///< a thief takes its request back, and the message stays valid, against REQUEST-3
  late_revoked,  ///< a request that was taken back does not allow its receiver another offer, against WORKER-6
  closed_poll,  ///< a worker polls, and offers, before its channel is open again, against WORKER-5
  not_recalled,  ///< a worker leaves a wait and leaves its request out, against WORKER-4
  not_recalled_spins,  ///< the same, and the worker who then waits for ever is not quiet about it
  update_not_asked,  ///< a worker that begins to work by an update is not asked to poll while requests are pooled, against ACTOR-3
  swap_unseen,  ///< a request that is pooled when another leaves in the same step does not change the epoch
  lost_ask,  ///< no worker is asked to poll when the first request is pooled, against ACTOR-3
};

/// A client of the protocol: programs, workers and the parameters of the thieves.
struct client {
  unsigned workers = 2;
  std::vector<program_task> tasks{1};  // by task_id; number 0 is unused
  std::vector<task_id> roots{0};  // by run_number
  std::uint32_t attempts = 1;
  bool half = false;  ///< thieves ask for half
  bool last_victim = false;  ///< thieves ask their last victim first
  bool together = true;  ///< runs may be submitted while others are in progress
  unsigned take_backs = 0;  ///< so many times, in all, a thief that waits takes its request back
  bool stops = false;  ///< after the last run the runtime stops
  unsigned starting = 0;  ///< so many workers have not yet sent their first request; those of the others are pooled
  plant planted = plant::none;

  /// Adds a run; returns its root.
  task_id run() {
    roots.push_back(add(static_cast<run_number>(roots.size())));
    return roots.back();
  }

  /// `parent` spawns a new task.
  task_id spawn(task_id parent) {
    const task_id child = add(tasks[parent].run);
    tasks[parent].operations.push_back({operation::kind::spawn, child});
    return child;
  }

  /// `parent` spawns so many tasks without operations.
  client& spawn_leaves(task_id parent, unsigned count) {
    for (unsigned i = 0; i < count; ++i) spawn(parent);
    return *this;
  }

  client& wait(task_id parent, task_id child) {
    tasks[parent].operations.push_back({operation::kind::wait, child});
    tasks[child].awaited = true;
    return *this;
  }

  client& barrier(task_id root) {
    tasks[root].operations.push_back({operation::kind::barrier, 0});
    return *this;
  }

  unsigned runs() const { return static_cast<unsigned>(roots.size()) - 1; }

 private:
  task_id add(run_number run) {
    tasks.push_back({run, {}, false});
    return static_cast<task_id>(tasks.size() - 1);
  }
};

}  // namespace leat::model
