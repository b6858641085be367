// One object per worker: sums without sharing.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "leat/platform/chosen.hpp"
#include "leat/platform/order.hpp"
#include "leat/runtime.hpp"
#include "leat/task/spawn.hpp"

namespace leat::inline LEAT_ABI {

/// A T for each worker of a runtime, each on cache lines of its own. T must be copyable. A compensating worker (see
/// leat::blocking) has one, too. So has each place of the default runtime: a thread of the program that works there has
/// the object of its place, and the next thread at that place goes on with it.
///
/// Thread safety: each worker uses its own object. Do not hold the reference of local() across spawn, barrier, get or
/// wait: another task of the same worker may use the object meanwhile.
template <class T>
class worker_local {
  static_assert(std::copy_constructible<T>, "leat::worker_local: T must be copyable");

 public:
  /// Makes an object for each worker of `rt`, as a copy of `initial`. One allocation.
  /// \throws std::bad_alloc, and what copying T throws
  explicit worker_local(const runtime& rt, const T& initial = T{})
      : home_(rt.number()), workers_(rt.workers()), slots_(rt.numbers() + *rt.options().spares, slot{initial}) {}

  /// Returns the calling worker's object. O(1), without synchronisation.
  /// \throws not_a_worker on a thread that is no worker of the runtime that was given, also after that runtime has
  ///         ended
  T& local() {
    auto& me = task::this_worker<platform::chosen>("worker_local::local");
    if (me.home_number() != home_) [[unlikely]]
      throw_foreign();
    slot& mine = slots_[me.id()];
    mine.used = true;
    return mine.value;
  }

  /// Returns op(...op(op(init, first), second)..., last), over the workers in order, and then over the compensating
  /// workers that called local(). No task may use local() meanwhile. O(workers).
  /// \throws what op throws
  template <class R, class Op>
  R combine(R init, Op op) const {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (i < workers_ || slots_[i].used) init = op(std::move(init), slots_[i].value);
    }
    return init;
  }

 private:
  struct alignas(platform::cache_line) slot {
    T value;
    bool used = false;
  };
  [[noreturn, gnu::cold, gnu::noinline]] static void throw_foreign() {
    throw not_a_worker("leat::worker_local::local: this worker belongs to another runtime");
  }

  std::uint64_t home_;  // the runtime's number; its address may be another's after it
  std::size_t workers_;
  std::vector<slot> slots_;
};

}  // namespace leat::inline LEAT_ABI
