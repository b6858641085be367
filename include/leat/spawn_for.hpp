// Loops without a wait of their own: they are spawned, as tasks are.
#pragma once

#include <type_traits>
#include <utility>

#include "leat/block.hpp"
#include "leat/loop/spawned.hpp"
#include "leat/loop_options.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task_group.hpp"

namespace leat::inline LEAT_ABI {

/// Adds a loop to the tasks of `group`, and returns at once. The loop calls body(i) for every index i with first <= i <
/// last, in any order. That is as spawning a task for each index, at the price of one. A body that does not take an
/// index gets a `leat::block` of indices.
///
/// The loop is one task until other workers ask for work, or its body spawns. Then parts of it become tasks of their
/// own, which no worker joins: a worker that has done a part goes on with any other work, and only the wait for the
/// group waits for all parts. One decayed copy of the body is kept until all parts are done, and several workers call
/// it at once. (A body of up to 64 bytes that is trivially copyable, and callable if const, may be called as a copy.)
/// The body may fork, spawn, wait, and loop itself. A body that waits with `wait::any` may have other parts of the same
/// loop on top of it, maybe many. (Prell's thesis, 5.2 and 5.4.2; the guide's page on loops)
///
/// The loop ends early, and begins no further chunk, if `group` is cancelled, or the group of options.stop, which must
/// outlive the loop, or if a body throws. The group's wait throws that exception. `options.split` says what is cut off
/// for workers that ask.
///
/// Thread safety: any worker of the group's run may call it.
/// Cost: 100 to 400 ns for the call, and next to nothing for an iteration. No allocation for bodies of up to 200 bytes,
/// which lie in memory that workers use again.
/// \throws not_a_worker outside of a run; std::logic_error on a worker of another run or runtime than the group's;
///         std::out_of_range if `first` is negative and the index has no sign; std::invalid_argument for bad options;
///         what copying the body or allocating throws. Then there is no loop.
template <loop_index First, loop_index Last, class Body>
void spawn_for(
    task_group& group, First first, Last last, Body&& body, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  using index = std::common_type_t<First, Last>;
  constexpr bool callable = loop::takes_index_or_block<std::decay_t<Body>, index>;
  static_assert(callable, "leat::spawn_for: body must be callable with an index, or with a leat::block of them");
  if constexpr (callable) {
    loop::spawn_block<platform::chosen>(&group, loop::between(first, last, "spawn_for"), std::forward<Body>(body),
                                        options);
  }
}

/// Adds a loop to the plain tasks of the run (leat::spawn), in the same way. The run, or a barrier, waits for it, and
/// throws what a body throws. What the body refers to must exist until then; variables of the root do not, unless the
/// root waits.
template <loop_index First, loop_index Last, class Body>
void spawn_for(First first, Last last, Body&& body, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  using index = std::common_type_t<First, Last>;
  constexpr bool callable = loop::takes_index_or_block<std::decay_t<Body>, index>;
  static_assert(callable, "leat::spawn_for: body must be callable with an index, or with a leat::block of them");
  if constexpr (callable) {
    loop::spawn_block<platform::chosen>(nullptr, loop::between(first, last, "spawn_for"), std::forward<Body>(body),
                                        options);
  }
}

}  // namespace leat::inline LEAT_ABI
