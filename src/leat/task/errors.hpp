// The exceptions of task constructs that are misused. Out of line, so that the common paths stay short, and in the
// library, so that programs need not compile the messages.
//
// In all of them `what` is the public function that was called, and `me` the number of the calling worker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::task {

/// not_a_worker, of the public function `what`.
[[noreturn, gnu::cold]] void throw_not_a_worker(const char* what);

/// std::length_error: more than `forks_max` forks inside each other.
[[noreturn, gnu::cold]] void throw_too_deep(std::size_t forks_max);

/// closed_runtime: a task was submitted to it.
[[noreturn, gnu::cold]] void throw_closed_runtime();

/// forked_process: a future is waited for whose task has stayed with the parent.
[[noreturn, gnu::cold]] void throw_forked_future();

/// std::logic_error: a future without a result is asked for it.
[[noreturn, gnu::cold]] void throw_no_result();

/// std::logic_error: argument `at` of `what`, when_all or when_any, is a future without a result.
[[noreturn, gnu::cold]] void throw_empty_future(const char* what, std::size_t at);

/// std::logic_error: worker `me` spawns a task of a group that is of another run than its own, or of another runtime.
[[noreturn, gnu::cold]] void throw_not_a_member(std::uint32_t me, bool same_runtime);

/// std::logic_error: worker `me` waits for a group that worker `owner` made.
[[noreturn, gnu::cold]] void throw_not_the_owner(const char* what, std::uint32_t owner, std::uint32_t me,
                                                 bool same_runtime);

/// forked_process: a group is used that the parent of this process made.
[[noreturn, gnu::cold]] void throw_forked_group(const char* what);

/// not_a_worker: a group is used by a thread that works for no run, and has not made it; or is inside leat::blocking.
[[noreturn, gnu::cold]] void throw_not_in_its_run(const char* what);

/// std::invalid_argument: spawn_after of a group was given a handle, at this place, of a task of another group that is not done.
[[noreturn, gnu::cold]] void throw_of_another_group(std::size_t place);

/// std::length_error: spawn_after of a group was given so many handles.
[[noreturn, gnu::cold]] void throw_too_many_handles(std::size_t many, std::size_t most);

/// deadlock: the wait `what` of worker `me` waits for itself, as `why` says.
[[noreturn, gnu::cold]] void throw_waits_for_itself(const char* what, std::uint32_t me, const char* why);

/// deadlock: the wait `what` of worker `me` is one of `waits` that wait for each other in a circle.
[[noreturn, gnu::cold]] void throw_deadlock(const char* what, std::uint32_t me, std::uint32_t waits);

}  // namespace leat::inline LEAT_ABI::task
