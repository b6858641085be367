// A runtime as it is at one moment: its workers, where each is, and the waits that last. Of pictures of all runtimes of
// a process a text is made, which names circles of waits.
//
// Page: docs/internals/deadlocks.md, rules DEADLOCK-11 to DEADLOCK-14.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leat/platform/call_stack.hpp"
#include "leat/waiting/broken_circle.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// Where a worker is.
enum class worker_state : std::uint8_t {
  task,  ///< executes a task
  runtime,  ///< inside the runtime: it searches for work, answers, or waits
  idle,  ///< without work; its request is in the idle pool
  blocked,  ///< in leat::blocking
  outside,  ///< no thread is the worker: a place for a thread of the program
};

struct pictured_worker {
  std::uint32_t id = 0;
  std::string thread;  ///< its name
  worker_state state = worker_state::runtime;
  platform::thread_sleep sleep;  ///< all 0 on a platform that cannot tell
  platform::call_stack calls;  ///< if it is in a task
  const void* run = nullptr;  ///< the same
  std::vector<const void*> beneath;  ///< the same: targets of the executions on its stack
};

/// A wait that is listed, or a thread that sleeps for a mutex or in another call, in a task.
struct pictured_wait {
  std::optional<std::uint32_t> worker;  ///< none: a thread that is no worker of the runtime
  wait_kind kind = wait_kind::join;
  std::uint64_t since_ns = 0;  ///< 0: not known
  const void* target = nullptr;  ///< of the awaited work; of a foreign_run: the run; null: none
  const void* run = nullptr;  ///< in which the wait is
  std::vector<const void*> beneath;  ///< targets of the executions beneath it, on the same stack
  std::uint64_t holder = 0;  ///< of a lock: the number of the thread that holds it
  platform::call_stack calls;
};

struct picture {
  std::uint64_t runtime = 0;  ///< its number
  const char* kind = "runtime";  ///< "runtime", "team", "default"
  std::string scheduler;
  bool under_way = false;  ///< a run is
  bool one_run = false;  ///< and no other
  bool roots_wait = false;  ///< a run waits to be begun
  std::uint64_t now_ns = 0;
  std::uint32_t workers = 0;
  std::vector<pictured_worker> workers_at;
  std::vector<pictured_wait> waits;
};

/// A wait of these pictures: of which, and its place in there.
struct wait_place {
  std::size_t picture, wait;
  friend bool operator==(const wait_place&, const wait_place&) = default;
};

/// DEADLOCK-13: the circles of needs, each as its waits, of which each needs the next. No wait is in two of them.
std::vector<std::vector<wait_place>> circles_of(const std::vector<picture>& pictures);

/// Whether one wait ends only after the other.
bool needs(const std::vector<picture>& pictures, wait_place which, wait_place other);

/// The name of what a wait is in.
const char* name_of(wait_kind k);

/// The text: a line for each worker, wait, source line and circle. Reads the names of source lines (platform/call_places.hpp).
std::string describe(const std::vector<picture>& pictures);

/// The text about a circle that leat breaks: one of its waits throws leat::deadlock.
std::string describe(const broken_circle& c, std::uint64_t now_ns);

}  // namespace leat::inline LEAT_ABI::waiting
