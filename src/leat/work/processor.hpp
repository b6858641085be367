// What a worker does instead of its own parts where its scheduler is one that a paper describes (published/).
//
// Such a scheduler has the worker's runner, with all tasks and forks, and so the same pushes, pops, forks and joins. Where these
// come to their slow part, and where the worker waits or is idle, the worker calls its processor. The other parts rest. Under
// leat's own scheduler there is no processor.
#pragma once

#include <cstddef>

#include "leat/deque/fork_stack.hpp"
#include "leat/protocol/request.hpp"
#include "leat/work/asked.hpp"
#include "leat/work/record.hpp"
#include "leat/work/run.hpp"

namespace leat::inline LEAT_ABI::work {

/// One worker's. Only the worker's thread calls it.
template <class P>
class processor {
 public:
  using slot = deque::fork_slot<P>;
  using forks = deque::fork_stack<P>;
  using wanted_task = asked<record&>;

  processor() = default;
  processor(const processor&) = delete;
  processor& operator=(const processor&) = delete;
  virtual ~processor() = default;

  /// The worker's thread is there, and has its fork words. Called once, by it, before all else.
  virtual void attached() {}
  /// Works until the scheduler stops.
  virtual void main() = 0;

  // -- where a push, a pop or a join compares the limit, and finds it above

  /// A task was pushed.
  virtual void pushed() = 0;
  /// Any other reason to poll.
  virtual void poll() = 0;
  /// The newest task, if it is wanted; else null, and it stays. The record is good until the next push.
  virtual record* next(wanted_task wanted) = 0;
  /// Called at the join of the fork in `s`, which has been given up. Returns true if no thief has it: the caller runs it.
  virtual bool keeps(forks& of, slot* s) = 0;
  /// A fork that a thief had has been joined, and its slot is free.
  virtual void joined(forks&) {}

  // -- where the worker waits

  /// Executes tasks of the run, its own and other workers', until ready(); or, if it `runs` none, leaves its own to others.
  virtual void work_until(asked<> ready, asked<> begins_task, bool runs) = 0;
  /// The root waits until all tasks of the run are done.
  virtual void barrier() = 0;

  // -- other occasions

  /// An interrupt has come, in the midst of a task, or inside the runtime. It must be safe there, as monitor::on_interrupt.
  virtual void interrupted(bool in_task) noexcept = 0;
  /// The worker's tasks are about to be moved to other memory.
  virtual void tasks_move() {}
  /// The worker is about to block, and does not poll meanwhile; or has come back from that, as comes_back() has said.
  virtual void block_begins() = 0;
  virtual void block_ends() {}
  /// The worker's thread was elsewhere, and is the worker again. Its fork words may be as another worker left them, and signals for it
  /// may have been lost.
  virtual void comes_back() = 0;
  /// Whether any task is the worker's.
  virtual bool has_tasks() = 0;
  /// How many thieves want tasks that the worker has not got. An estimate.
  virtual std::size_t unserved() = 0;
  /// Whether loops check for thieves after each iteration (thesis, 5.2), and not only after chunks.
  virtual bool checks_each_iteration() const { return false; }
  /// Whether requests wait until this is called again: tasks may be pushed and popped meanwhile, and none is given away.
  /// Returns whether they waited before.
  virtual bool hold_requests(bool) { return false; }
  /// How many idle workers come for a part of a loop by themselves (thesis, 5.3.1); 0 where thieves ask. An estimate.
  virtual std::size_t idle_thieves() { return 0; }
};

/// What the processors of one scheduler share. It outlives them. Worker is the scheduler's.
template <class P, class Worker>
class processors {
 public:
  processors() = default;
  processors(const processors&) = delete;
  processors& operator=(const processors&) = delete;
  virtual ~processors() = default;

  /// Makes the processor of worker `me`, which has that number and may not be used yet. It lives until this ends, or another is
  /// made for that number. One call at a time. Throws std::bad_alloc.
  virtual processor<P>& make(Worker& me, protocol::worker_id id) = 0;

  // -- any thread

  /// Has the root of `r` executed; r.finish() is called when all its tasks are done. False, and nothing is done, if another
  /// run is under way.
  virtual bool submit(run<P>& r) = 0;
  /// Sleeps until submit may succeed.
  virtual void wait_for_turn() = 0;
  /// Has all processors return from main(). No run may be under way.
  virtual void stop() noexcept = 0;

  // -- the primary thread, which is worker 0 (entry/primary.hpp)

  /// enter: it becomes worker 0, and works for run `r`. leave: it comes out; other workers may still have tasks of the run.
  virtual void enter(run<P>& r) = 0;
  virtual void leave() = 0;

  // -- workers that block

  /// Whether compensating workers are of use.
  virtual bool has_spares() const noexcept = 0;
};

}  // namespace leat::inline LEAT_ABI::work
