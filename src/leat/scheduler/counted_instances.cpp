#include "leat/scheduler/bodies.hpp"

namespace leat::scheduler {

template class worker<platform::counted>;
template class runner<platform::counted>;
template class waiter<platform::counted>;
template class exposer<platform::counted>;
template class monitor<platform::counted>;
template class requester<platform::counted>;
template class hunter<platform::counted>;
template class donor<platform::counted>;
template class responder<platform::counted>;
template class group<platform::counted>;
template class blocked_scope<platform::counted>;
template class channel_scheduler<platform::counted>;
template class combining_manager<platform::counted, dispatcher<platform::counted>>;
template class dispatcher<platform::counted>;

}  // namespace leat::scheduler

namespace leat::handshake {

template class proxies<platform::counted, scheduler::worker<platform::counted>>;

}  // namespace leat::handshake
