// One object per worker: sums without sharing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "leat/platform/native.hpp"
#include "leat/platform/order.hpp"
#include "leat/runtime.hpp"
#include "leat/task/spawn.hpp"

namespace leat {

/// A T for each worker of a runtime, each on cache lines of its own.
///
/// A task's view of local() stays the same from one task construct to the next, but not across one: a wait may run another
/// task of the same worker in between, which uses the same object.
template <class T>
class worker_local {
 public:
  /// Every worker's object starts as a copy of `initial`.
  explicit worker_local(const runtime& rt, const T& initial = T{}) : slots_(rt.workers(), slot{initial}) {}

  /// The calling worker's object; O(1), no synchronisation. Throws not_a_worker on another thread. The worker must
  /// belong to the runtime that was given.
  T& local() { return slots_[task::this_worker<platform::native>("worker_local").id()].value; }

  /// op(...op(op(init, first), second)..., last), over the workers in order. Only while no task uses local().
  template <class R, class Op>
  R combine(R init, Op op) const {
    for (const slot& s : slots_) init = op(std::move(init), s.value);
    return init;
  }

 private:
  struct alignas(platform::cache_line) slot {
    T value;
  };
  std::vector<slot> slots_;
};

}  // namespace leat
