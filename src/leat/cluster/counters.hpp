// What a rank counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI {

/// What happens on a rank. Which of them occur depends on the engine. Those that end with `_ns` are times, whose
/// count is in nanoseconds.
enum class rank_event : std::uint8_t {
  tasks,               ///< tasks expanded
  polls,               ///< polls for what has come
  requests,            ///< steal requests made
  forwards,            ///< requests of others passed on (messages)
  pooled,              ///< requests that came to the idle pool; the manager counts them (messages)
  kept,                ///< requests of others kept until there is something to give (messages)
  status_reads,        ///< reads of another rank's status (rma)
  answers_work,        ///< answers that came with tasks
  steals_inside,       ///< of these, answers from ranks of the same node
  steals_outside,      ///< of these, answers from ranks of other nodes
  answers_busy,        ///< answers without tasks: the victim is busy (rma); any refusal (two-sided)
  answers_nothing,     ///< answers: nothing at all (rma)
  prefetches,          ///< requests made ahead of time (rma)
  prefetches_met,      ///< those answered with tasks
  tasks_given,         ///< tasks that left for other ranks
  tasks_taken,         ///< tasks that came from other ranks
  bytes_given,         ///< bytes of tasks that left
  released,            ///< polls at which tasks became shared; of ranks of one worker
  reacquired,          ///< times that shared tasks became private again; of ranks of one worker
  open_takes,  ///< times that a worker took tasks that another of the rank had open (SEAT-1)
  snapshots,  ///< snapshots written (rank 0)
  held_ns,  ///< nanoseconds spent on snapshots
  idle_waiting_ns,  ///< nanoseconds of worker 0 without a task while other workers of its rank had some
  idle_seeking_ns,  ///< nanoseconds without a task before work was found
  idle_ending_ns,  ///< nanoseconds without a task before the run ended
};

/// How many kinds there are.
inline constexpr std::size_t rank_events = 25;

/// The name of an event, as JSON has it. It lives as long as the program.
std::string_view name(rank_event) noexcept;

/// How often each event happened on one rank, or on several. A value. The worker of the rank that has the turn counts (SEAT-5), so there are
/// no atomics.
class rank_counters {
 public:
  std::uint64_t& operator[](rank_event e) noexcept { return count_[static_cast<std::size_t>(e)]; }
  std::uint64_t operator[](rank_event e) const noexcept { return count_[static_cast<std::size_t>(e)]; }

  /// The sum over two ranks. Times add up, too: of several ranks they are no time that passed.
  friend rank_counters operator+(rank_counters a, const rank_counters& b) noexcept {
    for (std::size_t i = 0; i < rank_events; ++i) a.count_[i] += b.count_[i];
    return a;
  }

 private:
  std::array<std::uint64_t, rank_events> count_{};
};

}  // namespace leat::inline LEAT_ABI
