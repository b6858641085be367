// The steal request: the one message by which work moves. Pages: docs/internals/protocol.md; thesis 3.3, 4.1.
#pragma once

#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::protocol {

using worker_id = std::uint32_t;

/// Names a run, a call of runtime::run with everything spawned in it. Never used twice.
using run_id = std::uint64_t;
inline constexpr run_id no_run = 0;

/// What the thief says of itself (thesis 4.1.1).
enum class status : std::uint8_t {
  working,          ///< it has an unfinished task, in which it waits
  idle,             ///< it has nothing, and only an answer to this request can change that
  registered_idle,  ///< idle, and the manager has counted it
};

/// How much a thief asks for (thesis 3.5, 5.1).
enum class amount : std::uint8_t { one, half };

/// A steal request. It is moved, never copied: its holder alone may answer it (rule REQUEST-2).
struct request {
  std::uint64_t serial = 0;  ///< counts how often it was sent; the one that its ownership shows is valid (REQUEST-3)
  worker_id thief = 0;
  protocol::status status = protocol::status::working;
  protocol::amount amount = protocol::amount::one;
  run_id known = no_run;  ///< the run that the manager counts the thief under; no_run: registered idle
  run_id only = no_run;   ///< tasks of this run alone are welcome; no_run: any
  std::uintptr_t awaited = 0;  ///< only what descends from what it names is welcome (LEAPFROG-1); 0: anything

  friend bool operator==(const request&, const request&) = default;
};

}  // namespace leat::inline LEAT_ABI::protocol
