// What a worker does in the child of a fork(), where it has no scheduler. Compiled in the library (process.cpp).
#pragma once

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::scheduler {

/// A task returned, or threw, in the child of a fork() that it had called: the child has none of the workers.
[[noreturn]] void abort_in_child() noexcept;

/// Aborts if the calling thread is not `me`, whose frames it comes back to: it is that of a forked child, then, in
/// which no thread is a worker (worker::forget_in_children). One load.
template <class Worker>
[[gnu::always_inline]] inline void check_process(const Worker& me) noexcept {
  if (Worker::current() != &me) [[unlikely]]
    abort_in_child();
}

}  // namespace leat::inline LEAT_ABI::scheduler
