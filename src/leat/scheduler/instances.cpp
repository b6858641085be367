#include "leat/scheduler/instances.hpp"

namespace leat::scheduler {

template class worker<platform::native>;
template class group<platform::native>;
template class attendance<platform::native>;
template class channel_scheduler<platform::native>;
template class attended_manager<platform::native, channel_scheduler<platform::native>>;

template class worker<platform::counted>;
template class group<platform::counted>;
template class attendance<platform::counted>;
template class channel_scheduler<platform::counted>;
template class attended_manager<platform::counted, channel_scheduler<platform::counted>>;

}  // namespace leat::scheduler
