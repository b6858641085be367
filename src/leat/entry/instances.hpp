// The parts of the scheduler that programs use, instantiated once, in the library. Programs compile faster, and a compiler that
// bounds how much a translation unit may grow by inlining spends that on the program's own functions. The scheduler behind a
// worker is declared in scheduler.hpp, which programs do not include.
#pragma once

#include "leat/deque/fork_stack.hpp"
#include "leat/entry/blocked_scope.hpp"
#include "leat/entry/root.hpp"
#include "leat/entry/submitting.hpp"
#include "leat/entry/told_wait.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/scheduler/footing.hpp"
#include "leat/scheduler/runner_callables.hpp"
#include "leat/scheduler/worker.hpp"

namespace leat::inline LEAT_ABI {

extern template class scheduler::worker<platform::chosen>;
extern template class scheduler::runner<platform::chosen>;
extern template class scheduler::waiter<platform::chosen>;
extern template class scheduler::exposer<platform::chosen>;
extern template class scheduler::monitor<platform::chosen>;
extern template class scheduler::requester<platform::chosen>;
extern template class scheduler::hunter<platform::chosen>;
extern template class scheduler::donor<platform::chosen>;
extern template class scheduler::responder<platform::chosen>;
extern template class scheduler::group<platform::chosen>;
extern template class entry::blocked_scope<platform::chosen>;
extern template class entry::submitting<platform::chosen>;
#if defined(LEAT_IN_SHARED_OBJECT) && defined(LEAT_ON_SYSTEM_THREADS)
// The words of a thread that a program shares with the library or, where it carries user-level threads, with its plugins.
extern template thread_local deque::fork_words<platform::chosen>
    platform::native::own_word<deque::fork_words<platform::chosen>>;
extern template thread_local scheduler::carried_poll platform::native::own_word<scheduler::carried_poll>;
extern template thread_local scheduler::carried_wait platform::native::own_word<scheduler::carried_wait>;
#endif

namespace entry {

extern template bool is_inside(const scheduler::channel_scheduler<platform::chosen>&, std::uint32_t);
extern template void execute_root(scheduler::channel_scheduler<platform::chosen>&, void (*)(void*), void*,
                                  std::uint32_t);
extern template std::uint32_t work_until_told<platform::chosen>(scheduler::worker<platform::chosen>&,
                                                                const told_word<platform::chosen>&,
                                                                const waiting::wait_about&, before_task);
extern template std::uint32_t help_until_told<platform::chosen>(scheduler::worker<platform::chosen>&,
                                                                const told_word<platform::chosen>&, const void*,
                                                                const waiting::wait_about&,
                                                                std::optional<protocol::worker_id> (*)(const void*));

}  // namespace entry
}  // namespace leat::inline LEAT_ABI
