// The exceptions of leat's own.
#pragma once

#include "leat/work/errors.hpp"  // IWYU pragma: export
