#include "leat/scheduler/instances.hpp"

#include "leat/scheduler/channel.hpp"

namespace leat::scheduler {

template class worker<platform::chosen>;
template class group<platform::chosen>;
template class absence<platform::chosen>;
template class attendance<platform::chosen, worker<platform::chosen>>;
template class channel_scheduler<platform::chosen>;
template class attended_manager<platform::chosen, channel_scheduler<platform::chosen>>;
template bool is_inside(const channel_scheduler<platform::chosen>&);
template void execute_root(channel_scheduler<platform::chosen>&, void (*)(void*), void*);
template void work_until_told<platform::chosen>(worker<platform::chosen>&, const told_word<platform::chosen>&);
template void help_until_told<platform::chosen>(worker<platform::chosen>&, const told_word<platform::chosen>&,
                                                const void*, std::optional<protocol::worker_id> (*)(const void*));

}  // namespace leat::scheduler
