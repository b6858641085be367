// What a runtime's workers did, in numbers: leat::counters, leat::event.
#pragma once

#include "leat/events/counters.hpp"  // IWYU pragma: export
