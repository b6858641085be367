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

/// A T for each worker of a runtime, each on cache lines of its own. A compensating worker (see leat::blocking) has
/// one, too. So has each place of the default runtime: a thread of the program that works there has that of the place which it
/// has at the moment, and the next thread at that place goes on with it.
///
/// Do not hold the reference of local() across spawn, barrier, get or wait: another task of the same worker may use the
/// object meanwhile. T must be copyable.
template <class T>
class worker_local {
  static_assert(std::copy_constructible<T>, "leat::worker_local: T must be copyable");

 public:
  /// Every worker's object starts as a copy of `initial`.
  explicit worker_local(const runtime& rt, const T& initial = T{})
      : home_(rt.number()), workers_(rt.workers()), slots_(rt.numbers() + *rt.options().spares, slot{initial}) {}

  /// The calling worker's object; O(1), no synchronisation.
  /// \throws not_a_worker on a thread that is not a worker of the runtime that was given, also after that one has ended
  T& local() {
    auto& me = task::this_worker<platform::chosen>("worker_local::local");
    if (me.home_number() != home_) [[unlikely]]
      throw_foreign();
    slot& mine = slots_[me.id()];
    mine.used = true;
    return mine.value;
  }

  /// op(...op(op(init, first), second)..., last), over the workers in order, then over the compensating workers that
  /// called local(). Only while no task uses local().
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
