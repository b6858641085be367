// What leat throws when it is used in the wrong place. Wrong values are std::invalid_argument.
#pragma once

#include <stdexcept>

#include "leat/platform/abi.hpp"
#include "leat/platform/shared.hpp"

namespace leat::inline LEAT_ABI {

/// A task construct was called on a thread that is not a worker: outside runtime::run and team::call. Or team::call, on
/// one that it does not admit.
class LEAT_SHARED not_a_worker : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// leat::barrier was called in a task: only the root of a run, which no task waits for, may wait for all tasks.
class LEAT_SHARED misplaced_barrier : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// A wait would never end: a task waits for its own future or group, or waits of several tasks need each other in a circle. One
/// wait of the circle throws it; after that the others end, with the exceptions of the tasks that they waited for. Waits are
/// checked when they have lasted for 10 ms. docs/guide/deadlocks.md says which circles are seen.
class LEAT_SHARED deadlock : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// A task was submitted to a runtime that is being destroyed. It is not executed; those that were accepted before are.
class LEAT_SHARED closed_runtime : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A runtime was used in a process that fork() made: its threads stayed with the parent.
class LEAT_SHARED forked_process : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace leat::inline LEAT_ABI
