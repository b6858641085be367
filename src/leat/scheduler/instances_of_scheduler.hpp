// The rest of the scheduler that the library compiles once, for the chosen and the counted platform. bodies.hpp includes
// this.
#pragma once

#include "leat/platform/chosen.hpp"
#include "leat/platform/counted.hpp"
#include "leat/scheduler/instances.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

extern template class channel_scheduler<platform::chosen>;
extern template class combining_manager<platform::chosen, dispatcher<platform::chosen>>;
extern template class dispatcher<platform::chosen>;

extern template class worker<platform::counted>;
extern template class runner<platform::counted>;
extern template class waiter<platform::counted>;
extern template class exposer<platform::counted>;
extern template class monitor<platform::counted>;
extern template class requester<platform::counted>;
extern template class hunter<platform::counted>;
extern template class donor<platform::counted>;
extern template class responder<platform::counted>;
extern template class group<platform::counted>;
extern template class blocked_scope<platform::counted>;
extern template class channel_scheduler<platform::counted>;
extern template class combining_manager<platform::counted, dispatcher<platform::counted>>;
extern template class dispatcher<platform::counted>;

}  // namespace leat::scheduler

namespace leat::handshake {

extern template class proxies<platform::chosen, scheduler::worker<platform::chosen>>;
extern template class proxies<platform::counted, scheduler::worker<platform::counted>>;

}  // namespace leat::handshake
