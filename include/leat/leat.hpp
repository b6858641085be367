// All of leat.
#pragma once

#include "leat/version.hpp"  // IWYU pragma: export; first, as it checks the language

#include "leat/blocking.hpp"      // IWYU pragma: export
#include "leat/channel.hpp"       // IWYU pragma: export
#include "leat/counters.hpp"      // IWYU pragma: export
#include "leat/default_runtime.hpp"  // IWYU pragma: export
#include "leat/errors.hpp"        // IWYU pragma: export
#include "leat/fork_join.hpp"     // IWYU pragma: export
#include "leat/future.hpp"        // IWYU pragma: export
#include "leat/graph.hpp"         // IWYU pragma: export
#include "leat/loops.hpp"         // IWYU pragma: export
#include "leat/options.hpp"       // IWYU pragma: export
#include "leat/runtime.hpp"       // IWYU pragma: export
#include "leat/spawn.hpp"         // IWYU pragma: export
#include "leat/task_group.hpp"    // IWYU pragma: export
#include "leat/team.hpp"          // IWYU pragma: export
#include "leat/topology.hpp"      // IWYU pragma: export
#include "leat/worker_local.hpp"  // IWYU pragma: export
