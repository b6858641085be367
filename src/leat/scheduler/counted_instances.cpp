#include "leat/scheduler/channel.hpp"
#include "leat/scheduler/channel_instances.hpp"

namespace leat::scheduler {

template class worker<platform::counted>;
template class group<platform::counted>;
template class absence<platform::counted>;
template class attendance<platform::counted, worker<platform::counted>>;
template class channel_scheduler<platform::counted>;
template class attended_manager<platform::counted, channel_scheduler<platform::counted>>;

}  // namespace leat::scheduler
