// All loops.
#pragma once

#include "leat/block.hpp"            // IWYU pragma: export
#include "leat/loop_options.hpp"     // IWYU pragma: export
#include "leat/parallel_for.hpp"     // IWYU pragma: export
#include "leat/parallel_reduce.hpp"  // IWYU pragma: export
#include "leat/parallel_scan.hpp"    // IWYU pragma: export
#include "leat/parallel_sort.hpp"    // IWYU pragma: export
#include "leat/spawn_for.hpp"        // IWYU pragma: export
