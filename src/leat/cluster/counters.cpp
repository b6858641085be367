#include "leat/cluster/counters.hpp"

namespace leat::inline LEAT_ABI {

// No default case: a compiler then warns of an event without a name. The return behind the switch is for values that
// are no event.
std::string_view name(rank_event e) noexcept {
  switch (e) {
    case rank_event::tasks: return "tasks";
    case rank_event::polls: return "polls";
    case rank_event::requests: return "requests";
    case rank_event::forwards: return "forwards";
    case rank_event::pooled: return "pooled";
    case rank_event::kept: return "kept";
    case rank_event::status_reads: return "status_reads";
    case rank_event::answers_work: return "answers_work";
    case rank_event::steals_inside: return "steals_inside";
    case rank_event::steals_outside: return "steals_outside";
    case rank_event::answers_busy: return "answers_busy";
    case rank_event::answers_nothing: return "answers_nothing";
    case rank_event::prefetches: return "prefetches";
    case rank_event::prefetches_met: return "prefetches_met";
    case rank_event::tasks_given: return "tasks_given";
    case rank_event::tasks_taken: return "tasks_taken";
    case rank_event::bytes_given: return "bytes_given";
    case rank_event::released: return "released";
    case rank_event::reacquired: return "reacquired";
    case rank_event::open_takes: return "open_takes";
    case rank_event::snapshots: return "snapshots";
    case rank_event::held_ns: return "held_ns";
    case rank_event::idle_waiting_ns: return "idle_waiting_ns";
    case rank_event::idle_seeking_ns: return "idle_seeking_ns";
    case rank_event::idle_ending_ns: return "idle_ending_ns";
  }
  return "unknown";
}

}  // namespace leat::inline LEAT_ABI
