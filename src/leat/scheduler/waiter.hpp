// How a worker waits for what others execute: by leapfrogging, which runs nothing but what descends from that; by running any task
// of the run; or for all tasks of the run. Rules L1-L7, W4, W7: docs/internals/protocol.md; CW1-CW6: docs/guide/deadlocks.md.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/deque/fork_stack.hpp"
#include "leat/scheduler/ancestry.hpp"
#include "leat/scheduler/group.hpp"
#include "leat/scheduler/record.hpp"
#include "leat/scheduler/task_stack.hpp"
#include "leat/scheduler/waits.hpp"

namespace leat::scheduler {

template <class P>
class waiter {
 public:
  using slot = deque::fork_slot<P>;
  using search = typename task_stack<P>::search;

  explicit waiter(worker<P>& me) noexcept : me_(me) {}

  /// The join of a fork that was given away, or of any when a request is pending: `s` is its slot, which has been given up (K3).
  /// True if the fork was given away; it is done then, and its outcome lies in the slot. Else the caller is to run it.
  bool join_tls(slot* s);
  bool join_context(slot* s);

  /// Waits until ready() is true and meanwhile runs only what descends from `target`, the join target under which others execute
  /// (see ancestor_scope) what makes it true; the worker's tasks can still be stolen. whom(asked) gives the worker to ask, if any is
  /// known; with `asked`, another one, if there are several. Whoever makes ready() true calls notify(). Returns 0, or of how many
  /// waits the circle is for which it was left (CW5).
  template <class Ready, class Whom>
  std::uint32_t help_until(const void* target, const wait_about& about, Ready ready, Whom whom);

  /// Waits until ready() is true, and runs any task of the current run meanwhile, its own and others', each after
  /// ready.begins_task(), if that exists. Whoever makes it true calls notify(). Returns as help_until; the wait is listed if `about`
  /// is given.
  template <class Ready>
  std::uint32_t work_until(Ready ready, const wait_about* about = nullptr);

  /// Waits until every task of the current run is done. Throws misplaced_barrier inside a task, and the first exception
  /// that a task of the run threw.
  void barrier();

  // -- the list of long waits

  /// Lists a wait of this worker's (CW1), unless it is listed; or only if hangs are reported. end_listed returns what waits::leave
  /// does, or 0.
  void list(std::optional<long_wait<P>>& w, const wait_about& about);
  void list_if_reported(std::optional<long_wait<P>>& w, wait_kind kind);
  std::uint32_t end_listed(std::optional<long_wait<P>>& w) noexcept;
  /// Lists the innermost wait for any task, or for all, if there is one.
  void list_open_wait();

  // -- what is awaited, in the worker's own deque

  /// Takes the newest task of the group that has this join target, or the fork that has it and has come back, wherever it lies, for
  /// another worker, which counts it. O(size of the deque); O(1) if it is neither.
  bool take_back_awaited(const void* target, record& taken);

  /// Takes the newest task of the group, by a search that goes on.
  bool take_owned(const group<P>* g, search& where, record& taken);

  /// Tasks have been taken at the deque's end.
  void sink_marks() noexcept { me_.ancestry.sink_to(me_.stack().tasks.end_index()); }

 private:
  struct pacing;  // when a wait asks, looks around and sleeps

  bool keeps_after_poll(const deque::fork_stack<P>& forks, const slot* s);
  void join(deque::fork_stack<P>& forks, slot* s);
  bool take_fork(const void* target, record& taken);
  bool run_task_of_wait();
  void help_with(record& task);
  bool answers_or_accepts();
  bool helps_itself(const own_wait& w);
  bool leapfrogs(const own_wait& w);
  template <class Over>
  void sleep(Over over, std::uint64_t ns);

  worker<P>& me_;
};

}  // namespace leat::scheduler
