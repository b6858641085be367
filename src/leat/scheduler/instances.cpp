#include "leat/scheduler/instances.hpp"

namespace leat::scheduler {

template class worker<platform::chosen>;
template class group<platform::chosen>;
template class attendance<platform::chosen, worker<platform::chosen>>;
template class channel_scheduler<platform::chosen>;
template class attended_manager<platform::chosen, channel_scheduler<platform::chosen>>;

template class worker<platform::counted>;
template class group<platform::counted>;
template class attendance<platform::counted, worker<platform::counted>>;
template class channel_scheduler<platform::counted>;
template class attended_manager<platform::counted, channel_scheduler<platform::counted>>;

}  // namespace leat::scheduler
