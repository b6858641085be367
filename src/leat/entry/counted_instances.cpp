#include "leat/entry/bodies.hpp"

namespace leat::inline LEAT_ABI {

template class scheduler::worker<platform::counted>;
template class scheduler::runner<platform::counted>;
template class scheduler::waiter<platform::counted>;
template class scheduler::exposer<platform::counted>;
template class scheduler::monitor<platform::counted>;
template class scheduler::requester<platform::counted>;
template class scheduler::hunter<platform::counted>;
template class scheduler::donor<platform::counted>;
template class scheduler::responder<platform::counted>;
template class scheduler::group<platform::counted>;
template class entry::blocked_scope<platform::counted>;
template class entry::submitting<platform::counted>;
template class scheduler::channel_scheduler<platform::counted>;
template class scheduler::dispatcher<platform::counted>;
template class entry::primary<platform::counted>;
template class published::processors<platform::counted>;
template class post::combining_manager<platform::counted, scheduler::dispatcher<platform::counted>>;
template class handshake::proxies<platform::counted, scheduler::worker<platform::counted>>;

}  // namespace leat::inline LEAT_ABI
