// The kinds of operations that a sitting is a mix of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace soak {

enum class kind : std::uint8_t {
  fork,          ///< fork_join without contexts
  context,       ///< fork_join with contexts
  row,           ///< forks of arrays, of elements, of several callables
  spawn,         ///< plain tasks and a barrier
  loose,         ///< a plain task that only the end of the run waits for
  group,         ///< a task group
  cancel,        ///< a task group that is cancelled
  future,        ///< futures, taken in any order
  shared,        ///< shared futures, passed to other tasks
  dropped,       ///< a future that is dropped before its task has run
  loop,          ///< loops over indices, boxes, elements
  spawned_loop,  ///< spawn_for
  reduce,        ///< reductions
  scan,          ///< scans
  sort,          ///< parallel_sort, parallel_stable_sort
  local,         ///< worker_local
  long_task,     ///< a task that looks at nothing while others want its work
  blocking,      ///< calls that block
  handover,      ///< a call that blocks until another task has run
  exception,     ///< exceptions out of each construct
  threads,       ///< user-level threads
  bubbles,       ///< bubbles
  across,        ///< a run of another runtime, called by a task
  stranger,      ///< runs called by threads of the program that come and go
  team,          ///< a team that comes and goes
  runtime,       ///< a runtime that comes and goes
};

inline constexpr std::array<std::string_view, 26> kind_names = {
    "fork",     "context",   "row",          "spawn",   "loose",  "group",    "cancel", "future",    "shared",
    "dropped",  "loop",      "spawned_loop", "reduce",  "scan",   "sort",     "local",  "long_task", "blocking",
    "handover", "exception", "threads",      "bubbles", "across", "stranger", "team",   "runtime"};

inline constexpr std::size_t kind_count = kind_names.size();

constexpr std::size_t index_of(kind k) { return static_cast<std::size_t>(k); }
constexpr std::string_view name_of(kind k) { return kind_names[index_of(k)]; }

/// What one operation of a kind is made of, for the table.
inline constexpr std::array<std::string_view, kind_count> part_names = {
    "forks", "forks",      "forks",      "tasks",    "tasks",    "tasks",    "tasks",      "tasks", "readings",
    "tasks", "iterations", "iterations", "elements", "elements", "elements", "iterations", "tasks", "calls",
    "calls", "exceptions", "threads",    "threads",  "runs",     "threads",  "calls",      "runs"};

}  // namespace soak
