// The exceptions of leat's own.
#pragma once

#include "leat/scheduler/errors.hpp"  // IWYU pragma: export
