// The parts of the scheduler that programs use, instantiated once, in the library. Programs compile faster, and a compiler that
// bounds how much a translation unit may grow by inlining spends that on the program's own functions. The scheduler behind a
// worker is declared in scheduler.hpp, which programs do not include.
#pragma once

#include "leat/platform/chosen.hpp"
#include "leat/scheduler/blocked_scope.hpp"
#include "leat/scheduler/root.hpp"
#include "leat/scheduler/runner_callables.hpp"
#include "leat/scheduler/told_wait.hpp"
#include "leat/scheduler/worker.hpp"

namespace leat::scheduler {

extern template class worker<platform::chosen>;
extern template class runner<platform::chosen>;
extern template class waiter<platform::chosen>;
extern template class exposer<platform::chosen>;
extern template class monitor<platform::chosen>;
extern template class requester<platform::chosen>;
extern template class hunter<platform::chosen>;
extern template class donor<platform::chosen>;
extern template class responder<platform::chosen>;
extern template class group<platform::chosen>;
extern template class blocked_scope<platform::chosen>;
extern template bool is_inside(const channel_scheduler<platform::chosen>&);
extern template void execute_root(channel_scheduler<platform::chosen>&, void (*)(void*), void*);
extern template std::uint32_t work_until_told<platform::chosen>(worker<platform::chosen>&,
                                                                const told_word<platform::chosen>&, const wait_about&);
extern template std::uint32_t help_until_told<platform::chosen>(worker<platform::chosen>&,
                                                                const told_word<platform::chosen>&, const void*,
                                                                const wait_about&,
                                                                std::optional<protocol::worker_id> (*)(const void*));

}  // namespace leat::scheduler
