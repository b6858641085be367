#include "leat/scheduler/instances.hpp"

#include "leat/scheduler/bodies.hpp"

namespace leat::scheduler {

template class worker<platform::chosen>;
template class runner<platform::chosen>;
template class waiter<platform::chosen>;
template class exposer<platform::chosen>;
template class monitor<platform::chosen>;
template class requester<platform::chosen>;
template class hunter<platform::chosen>;
template class donor<platform::chosen>;
template class responder<platform::chosen>;
template class group<platform::chosen>;
template class blocked_scope<platform::chosen>;
template class channel_scheduler<platform::chosen>;
template class combining_manager<platform::chosen, dispatcher<platform::chosen>>;
template class dispatcher<platform::chosen>;
template bool is_inside(const channel_scheduler<platform::chosen>&);
template void execute_root(channel_scheduler<platform::chosen>&, void (*)(void*), void*);
template std::uint32_t work_until_told<platform::chosen>(worker<platform::chosen>&, const told_word<platform::chosen>&,
                                                         const wait_about&);
template std::uint32_t help_until_told<platform::chosen>(worker<platform::chosen>&, const told_word<platform::chosen>&,
                                                         const void*, const wait_about&,
                                                         std::optional<protocol::worker_id> (*)(const void*));

}  // namespace leat::scheduler

namespace leat::handshake {

template class proxies<platform::chosen, scheduler::worker<platform::chosen>>;

}  // namespace leat::handshake
