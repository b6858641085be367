// The scheduler on the platforms that exist, compiled once, in the library: programs compile faster, and compilers that
// bound how much a whole translation unit may grow by inlining spend that on the program's own functions.
#pragma once

#include "leat/platform/chosen.hpp"
#include "leat/platform/counted.hpp"
#include "leat/scheduler/channel.hpp"

namespace leat::scheduler {

extern template class worker<platform::chosen>;
extern template class group<platform::chosen>;
extern template class attendance<platform::chosen, worker<platform::chosen>>;
extern template class channel_scheduler<platform::chosen>;
extern template class attended_manager<platform::chosen, channel_scheduler<platform::chosen>>;

extern template class worker<platform::counted>;
extern template class group<platform::counted>;
extern template class attendance<platform::counted, worker<platform::counted>>;
extern template class channel_scheduler<platform::counted>;
extern template class attended_manager<platform::counted, channel_scheduler<platform::counted>>;

}  // namespace leat::scheduler
