#include "leat/scheduler/instances.hpp"

namespace leat::scheduler {

template class worker<platform::chosen>;
template class group<platform::chosen>;
template class attendance<platform::chosen>;
template class channel_scheduler<platform::chosen>;
template class attended_manager<platform::chosen, channel_scheduler<platform::chosen>>;

#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 1  // simulations count nothing
template class worker<platform::counted>;
template class group<platform::counted>;
template class attendance<platform::counted>;
template class channel_scheduler<platform::counted>;
template class attended_manager<platform::counted, channel_scheduler<platform::counted>>;
#endif

}  // namespace leat::scheduler
