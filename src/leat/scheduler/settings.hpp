// The settings of a scheduler, as numbers and functions. The top floor makes them from leat::options
// (src/leat/settings.cpp); tests set what a user cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leat/protocol/exposure.hpp"
#include "leat/protocol/prell.hpp"
#include "leat/protocol/published.hpp"
#include "leat/protocol/request.hpp"
#include "leat/protocol/strategy.hpp"
#include "leat/waiting/report.hpp"

namespace leat::inline LEAT_ABI::profile {
class runtime_log;
}

namespace leat::inline LEAT_ABI::scheduler {

/// Of the threads of workers.
struct thread_settings {
  std::string name = "leat";  ///< what their names begin with
  std::size_t stack_bytes = 0;  ///< 0: the system's usual size
  std::function<void(std::uint32_t)>
      begin;  ///< called by each thread first, with settings::worker_number; may be empty
  std::function<void(std::uint32_t)> end;  ///< and last
};

/// Of the report of hangs.
struct hang_settings {
  std::uint64_t report_ns =
      0;  ///< a run in which nothing is executed for so long is told of; 0: never; or waiting::report_on_request
  std::function<void(const std::string&)> tell = waiting::tell_hang;
  std::function<std::string()> describe;  ///< the text of a report; empty: about this scheduler alone
};

/// Every field has been checked (see leat::options).
struct settings {
  std::uint32_t workers = 1;
  std::uint32_t spares = 0;  ///< compensating workers, for those that block; started when they are needed
  std::uint64_t spin_ns = 0;  ///< an idle worker spins that long before it sleeps
  std::uint64_t patience_ns = 0;  ///< and that long for a victim, before its request goes to the idle pool
  bool adapts_spin = true;  ///< an idle worker spins less between calls that are far apart (PRIMARY-5)
  std::uint64_t seed = 0;  ///< of victim selection
  std::uint64_t interrupt_after_ns = 0;  ///< a worker that owes a poll for that long is interrupted; 0: never
  std::size_t deque_capacity = 1u << 13;  ///< tasks that a worker's deque holds before it grows
  std::uint32_t attempts = 4;  ///< victims that a request tries before it goes to the idle pool; or 0
  protocol::strategy strategy = protocol::strategy::adaptive;
  protocol::exposure exposure = protocol::exposure::none;  ///< what is public while tasks are short, too; for tests
  protocol::published published = protocol::published::none;  ///< the scheduler of a paper, in place of leat's own
  bool last_victim = true;  ///< try the victim of the last steal first
  std::uint32_t adaptive_interval = protocol::adaptive_interval;  ///< steals after which an adaptive thief thinks again
  protocol::prell_choices prell;  ///< of the scheduler `prell` alone
  std::vector<std::uint32_t> places;  ///< for `prell`: workers with the same number are one place; empty: all are
  std::vector<unsigned> bind_to;  ///< CPUs, in turn; empty: not bound
  /// How far apart two workers are, in levels of the machine tree: a nearer one is asked first. Empty: all are
  /// equally near.
  std::function<std::uint32_t(protocol::worker_id, protocol::worker_id)> distance;
  std::uint64_t number = 0;  ///< of the scheduler; no other in the process has it, while its address may come again
  std::uint64_t list_waits_after_ns = 10'000'000;  ///< a wait that lasts so long is listed (DEADLOCK-1)
  hang_settings hangs;
  thread_settings threads;
  profile::runtime_log* profile = nullptr;  ///< what the workers do is recorded there; null: it is not
  std::uint32_t primaries = 0;  ///< workers below this have no threads of their own; see entry/primary.hpp

  /// How many workers are expected to work at once: one of the primaries, and those that have threads.
  std::uint32_t at_once() const noexcept { return primaries == 0 ? workers : workers - primaries + 1; }

  /// Numbers workers as a user counts them: all primaries are 0, and compensating workers come after at_once() - 1.
  std::uint32_t worker_number(protocol::worker_id w) const noexcept {
    return w < primaries ? 0 : w - (workers - at_once());
  }

  /// The name of a worker's thread. It is no longer than options::resolved has checked.
  std::string name_of_thread(protocol::worker_id w) const {
    return w < workers ? threads.name + "-" + std::to_string(worker_number(w))
                       : threads.name + "-s" + std::to_string(w - workers);
  }
};

}  // namespace leat::inline LEAT_ABI::scheduler
