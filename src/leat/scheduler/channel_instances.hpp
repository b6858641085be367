// The rest of the scheduler that the library compiles once, for the chosen and the counted platform. channel.hpp includes
// this.
#pragma once

#include "leat/platform/chosen.hpp"
#include "leat/platform/counted.hpp"
#include "leat/scheduler/channel.hpp"
#include "leat/scheduler/instances.hpp"

namespace leat::scheduler {

extern template class attendance<platform::chosen, worker<platform::chosen>>;
extern template class channel_scheduler<platform::chosen>;
extern template class attended_manager<platform::chosen, channel_scheduler<platform::chosen>>;

extern template class worker<platform::counted>;
extern template class group<platform::counted>;
extern template class absence<platform::counted>;
extern template class attendance<platform::counted, worker<platform::counted>>;
extern template class channel_scheduler<platform::counted>;
extern template class attended_manager<platform::counted, channel_scheduler<platform::counted>>;

}  // namespace leat::scheduler
