// What ends the process: the program has done what cannot be thrown to it. Compiled in the library (abort.cpp).
#pragma once

namespace leat::platform {

/// Writes `message`, which ends with a newline, to the standard error, and aborts.
[[noreturn]] void abort_with(const char* message) noexcept;

/// A task returned, or threw, in the child of a fork() that it had called: the child has none of the workers.
[[noreturn]] void abort_in_child() noexcept;

/// Aborts if the calling thread is not `me`, whose frames it comes back to: it is that of a forked child, then, in
/// which no thread is a worker (worker::forget_in_children). One load.
template <class Worker>
[[gnu::always_inline]] inline void check_process(const Worker& me) noexcept {
  if (Worker::current() != &me) [[unlikely]]
    abort_in_child();
}

}  // namespace leat::platform
