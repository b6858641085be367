// The default runtime: what loops, algorithms and forks use on a thread that works for no other.
#pragma once

#include "leat/entry/callers.hpp"
#include "leat/future.hpp"
#include "leat/options.hpp"
#include "leat/runtime.hpp"

namespace leat::inline LEAT_ABI {

/// The default runtime of the process, which all its libraries share. It is made at first use: by this function, or by a loop,
/// an algorithm, a fork or a group on a thread that is no worker. It starts one thread fewer than options::workers, as the
/// calling thread works, too. It is never destroyed, so it may be used by static constructors and destructors; a child of
/// fork() makes its own. Thread-safe; one load when it is there.
/// \throws what the constructor of leat::runtime throws; the next call tries again. std::logic_error where a program is
///         compiled for a simulated platform: each world has runtimes of its own
const runtime& default_runtime();

/// default_runtime().submit(f, args...), as it were: hands f(args...) to the workers of the default runtime, and returns the future
/// of its result at once; see runtime::submit. Where that runtime has one worker, a thread of its own executes what was submitted.
/// What is not done when the process ends is not executed.
/// \throws what runtime::submit and default_runtime throw
template <class F, class... Args>
[[nodiscard]] auto submit(F&& f, Args&&... args) {
  if constexpr (task::is_async_call<F, Args...>())
    return task::submit<platform::chosen>(entry::default_scheduler(nullptr), std::forward<F>(f),
                                          std::forward<Args>(args)...);
}

/// Says with which options the default runtime is to be made. Without it they are those of the environment. Thread-safe.
/// \throws std::logic_error if the default runtime exists; std::invalid_argument, as leat::runtime does
void configure_default(const options& o);

}  // namespace leat::inline LEAT_ABI
