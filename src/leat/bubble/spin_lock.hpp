// The scheduler's lock for a few instructions, under this floor's name.
#pragma once

#include "leat/scheduler/spin_lock.hpp"

namespace leat::bubbles {

using scheduler::holding;
using scheduler::spin_lock;

}  // namespace leat::bubbles
