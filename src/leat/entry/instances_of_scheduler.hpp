// The rest of the scheduler that the library compiles once, for the chosen and the counted platform. bodies.hpp includes
// this.
#pragma once

#include "leat/entry/instances.hpp"
#include "leat/entry/primary.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/platform/counted.hpp"
#include "leat/published/processors.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI {

extern template class scheduler::channel_scheduler<platform::chosen>;
extern template class scheduler::dispatcher<platform::chosen>;
extern template class entry::primary<platform::chosen>;
extern template class published::processors<platform::chosen>;
extern template class post::combining_manager<platform::chosen, scheduler::dispatcher<platform::chosen>>;
extern template class handshake::proxies<platform::chosen, scheduler::worker<platform::chosen>>;

extern template class scheduler::worker<platform::counted>;
extern template class scheduler::runner<platform::counted>;
extern template class scheduler::waiter<platform::counted>;
extern template class scheduler::exposer<platform::counted>;
extern template class scheduler::monitor<platform::counted>;
extern template class scheduler::requester<platform::counted>;
extern template class scheduler::hunter<platform::counted>;
extern template class scheduler::donor<platform::counted>;
extern template class scheduler::responder<platform::counted>;
extern template class scheduler::group<platform::counted>;
extern template class entry::blocked_scope<platform::counted>;
extern template class entry::submitting<platform::counted>;
extern template class scheduler::channel_scheduler<platform::counted>;
extern template class scheduler::dispatcher<platform::counted>;
extern template class entry::primary<platform::counted>;
extern template class published::processors<platform::counted>;
extern template class post::combining_manager<platform::counted, scheduler::dispatcher<platform::counted>>;
extern template class handshake::proxies<platform::counted, scheduler::worker<platform::counted>>;

}  // namespace leat::inline LEAT_ABI
