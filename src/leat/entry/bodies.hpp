// All of the scheduler, for files that compile it for a platform of their own: what the library compiles once for its two.
#pragma once

#include "leat/entry/blocked_scope_steps.hpp"
#include "leat/entry/instances_of_scheduler.hpp"
#include "leat/entry/primary.hpp"
#include "leat/published/processors.hpp"
#include "leat/scheduler/dispatcher_steps.hpp"
#include "leat/scheduler/donor_steps.hpp"
#include "leat/scheduler/exposer_steps.hpp"
#include "leat/scheduler/group_steps.hpp"
#include "leat/scheduler/hunter_steps.hpp"
#include "leat/scheduler/leapfrog_steps.hpp"
#include "leat/scheduler/monitor_steps.hpp"
#include "leat/scheduler/requester_steps.hpp"
#include "leat/scheduler/responder_steps.hpp"
#include "leat/scheduler/runner_steps.hpp"
#include "leat/scheduler/waiter_steps.hpp"
#include "leat/scheduler/worker_steps.hpp"
