// The default runtime: what loops, algorithms and forks use on a thread that works for no other.
#pragma once

#include "leat/entry/callers.hpp"
#include "leat/future.hpp"
#include "leat/options.hpp"
#include "leat/runtime.hpp"

namespace leat::inline LEAT_ABI {

/// Returns the default runtime of the process, which all its libraries share. It is made at first use: by this
/// function, or by a loop, an algorithm, a fork or a group on a thread that is no worker. It starts one thread fewer
/// than options::workers, as the calling thread works, too. It is never destroyed, so static constructors and
/// destructors may use it. A child of fork() makes a default runtime of its own.
///
/// Thread safety: any thread may call it. Costs one load once the runtime is there.
/// \throws what the constructor of leat::runtime throws; the next call tries again. std::logic_error in a program that
///         is compiled for a simulated platform, where each world has runtimes of its own
const runtime& default_runtime();

/// Hands f(args...) to the workers of the default runtime, and returns the future of its result at once. It is
/// runtime::submit, with the same thread safety and cost. If the default runtime has one worker, submitted tasks have a
/// thread of their own. Tasks that are not done when the process ends are not executed.
/// \return a future<T>, where T is what f returns
/// \throws what runtime::submit and default_runtime throw
template <class F, class... Args>
[[nodiscard]] auto submit(F&& f, Args&&... args) {
  if constexpr (task::is_async_call<F, Args...>())
    return task::submit<platform::chosen>(entry::default_scheduler(nullptr), std::forward<F>(f),
                                          std::forward<Args>(args)...);
}

/// Sets the options with which the default runtime will be made; the last call counts. Options that are not set are
/// those of the environment. Any thread may call it. It reads the options, and starts nothing.
/// \throws std::logic_error if the default runtime exists; std::invalid_argument, as leat::runtime does
void configure_default(const options& o);

}  // namespace leat::inline LEAT_ABI
