// How a worker waits for work that others execute. There are three waits: one leapfrogs, and runs only descendants of
// the awaited work; one runs any task of the run; the barrier waits for all tasks of the run.
//
// Rules LEAPFROG, WORKER-4, WORKER-7, WORKER-12: docs/internals/protocol.md; LOOP-19: docs/internals/loops.md; DEADLOCK-1 to DEADLOCK-6:
// docs/internals/deadlocks.md.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/deque/fork_stack.hpp"
#include "leat/scheduler/ancestry.hpp"
#include "leat/scheduler/group.hpp"
#include "leat/waiting/wait.hpp"
#include "leat/work/record.hpp"
#include "leat/work/task_stack.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class waiter {
 public:
  using slot = deque::fork_slot<P>;
  using search = typename work::task_stack<P>::search;

  /// LOOP-19: the longest wait for a thief that is about to end. A few times what it takes from the answer to its first iteration.
  static constexpr std::uint64_t thief_ns_max = 2'000;

  explicit waiter(worker<P>& me) noexcept : me_(me) {}

  /// The join of the fork in slot `s`, which has been given up (FORK-3), when the fork was given away or a request is
  /// pending. Returns true if the fork was given away: it is done, and its outcome lies in the slot. Else the caller
  /// must run it.
  bool join_tls(slot* s);
  bool join_context(slot* s);

  /// Waits until ready() is true. Meanwhile it runs only descendants of `target`, the join target under which others
  /// execute the awaited work (see ancestor_scope). The worker's tasks can still be stolen.
  /// whom(asked) gives the worker to leapfrog, if one is known; with `asked`, another one if there are several. The
  /// thread that makes ready() true calls notify().
  /// Returns 0; or, if the wait was left to break a circle of waits, how many waits that circle has (DEADLOCK-5).
  template <class Ready, class Whom>
  std::uint32_t help_until(const void* target, const waiting::wait_about& about, Ready ready, Whom whom) {
    return me_.published != nullptr ? work_until(ready, &about) : leapfrog_until(target, about, ready, whom);
  }

  /// Waits until ready() is true. Meanwhile it runs any task of the current run, its own or another worker's, and
  /// calls ready.begins_task() before each, if that exists. The thread that makes ready() true calls notify().
  /// Returns as help_until. The wait is listed if `about` is given.
  template <class Ready>
  std::uint32_t work_until(Ready ready, const waiting::wait_about* about = nullptr);

  /// Waits until every task of the current run is done. Throws misplaced_barrier inside a task, and the first exception
  /// that a task of the run threw.
  void barrier();

  // -- the list of long waits

  /// list puts a wait of this worker on the list, once (DEADLOCK-1); list_if_reported does so only if hangs are
  /// reported. end_listed returns what wait_list::leave returned, or 0 if the wait was not listed.
  void list(std::optional<waiting::long_wait<P>>& w, const waiting::wait_about& about);
  void list_if_reported(std::optional<waiting::long_wait<P>>& w, waiting::wait_kind kind,
                        const void* awaited = nullptr);
  std::uint32_t end_listed(std::optional<waiting::long_wait<P>>& w) noexcept;
  /// Lists the innermost wait for any task, or for all, if there is one.
  void list_open_wait();

  // -- awaited work in the worker's own deque

  /// Takes awaited work from wherever it lies in the deque, to give it to another worker, which counts it. `target`
  /// may be that of a group, whose newest task is taken, or of a fork that has come back. O(size of the deque); O(1)
  /// if it is neither.
  bool take_back_awaited(const void* target, work::record& taken);

  /// Takes the newest task of the group, by a search that goes on.
  bool take_owned(const group<P>* g, search& where, work::record& taken);

  /// LOOP-19: waits until the worker that was given the fork in `s` has executed it, for about thief_ns_max at most, and asks it
  /// for nothing meanwhile. Returns at once where workers do not spin.
  void await_thief(const slot* s) const noexcept;

  /// To be called after tasks were taken from the deque's end: marks above the end would claim later tasks for outer
  /// waits (LEAPFROG-7).
  void sink_marks() noexcept { me_.ancestry.sink_to(me_.stack().tasks.end_index()); }

 private:
  // acquire: pairs with run_fork, so the result is visible.
  static bool is_done(const slot* s) noexcept { return s->state.load(platform::acquire) != slot::outcome::none; }
  bool keeps_after_poll(deque::fork_stack<P>& forks, slot* s);
  void join(deque::fork_stack<P>& forks, slot* s);
  bool take_fork(const void* target, work::record& taken);
  bool run_task_of_wait();
  void help_with(work::record& task);
  bool answers_or_accepts();
  bool helps_itself(const waiting::own_wait& w);
  bool leapfrogs(const waiting::own_wait& w);
  template <class Ready, class Whom>
  std::uint32_t leapfrog_until(const void* target, const waiting::wait_about& about, Ready ready, Whom whom);
  void wait_for_dummy();
  template <class Over>
  void sleep(Over over, std::uint64_t ns);

  worker<P>& me_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
