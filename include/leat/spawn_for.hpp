// Loops without a wait of their own: they are spawned, as tasks are.
#pragma once

#include <type_traits>
#include <utility>

#include "leat/block.hpp"
#include "leat/loop/spawned.hpp"
#include "leat/loop_options.hpp"
#include "leat/task_group.hpp"

namespace leat::inline LEAT_ABI {

/// Adds the loop body(i), for every i from `first` on and before `last`, to the tasks of `group`, and returns at once: as
/// spawning a task for each i, at the price of one. A body that does not take an index gets a `leat::block` of them.
///
/// The loop is one task until others ask for work, or its body spawns. Then parts of it are tasks of their own, which
/// no worker joins: workers that have done one part go on with whatever comes next, and only the wait for the group
/// waits for all. The indices are executed in any order. Of the body one decayed copy is kept until all parts are
/// done, and called by several workers at once (a small one that is trivially copyable, and callable if const, may be
/// called as a copy). It may fork, spawn, wait, and loop itself. A body that is in a `wait::any` may have others of
/// the same loop on top of it, maybe many, as a task may have as many tasks. (Prell's thesis, 5.2 and 5.4.2;
/// docs/guide/loops.md)
///
/// A token in the options, of a group that must be there until the loop has ended, or the cancellation of `group` ends the
/// loop early: no further chunk is begun. What a body throws does so, too, and comes out of the group's wait. Any worker of
/// the group's run may call this. `options.split` says what is cut off for workers that ask.
///
/// Cost: 100 to 400 ns, next to nothing for an index, and no allocation for bodies of up to 200 bytes, in memory that
/// workers use again. \throws not_a_worker outside a run; std::logic_error on a worker of another run or runtime than the
///         group's; std::out_of_range if `first` is negative and i has no sign; std::invalid_argument for bad options;
///         what copying the body or allocating throws. Then there is no loop.
template <loop_index First, loop_index Last, class Body>
void spawn_for(task_group& group, First first, Last last, Body&& body, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  constexpr bool callable = loop::takes_index_or_block<std::decay_t<Body>, index>;
  static_assert(callable, "leat::spawn_for: body must be callable with an index, or with a leat::block of them");
  if constexpr (callable) {
    loop::spawn_block<platform::chosen>(&group, loop::between(first, last, "spawn_for"), std::forward<Body>(body),
                                        options);
  }
}

/// The same with plain tasks (leat::spawn): the run, or a barrier, waits for them, and what a body throws comes out there.
/// What the body refers to must be there until then; the root's own variables are not, unless it waits.
template <loop_index First, loop_index Last, class Body>
void spawn_for(First first, Last last, Body&& body, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  constexpr bool callable = loop::takes_index_or_block<std::decay_t<Body>, index>;
  static_assert(callable, "leat::spawn_for: body must be callable with an index, or with a leat::block of them");
  if constexpr (callable) {
    loop::spawn_block<platform::chosen>(nullptr, loop::between(first, last, "spawn_for"), std::forward<Body>(body),
                                        options);
  }
}

}  // namespace leat::inline LEAT_ABI
