// A circle of waits as it was when one of them was chosen to leave it, for the report of it.
//
// Page: docs/internals/deadlocks.md, rule DEADLOCK-12.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "leat/platform/call_stack.hpp"
#include "leat/protocol/request.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// Room for a circle, which is filled under the lock of the list. A value. Each part is needed by the one behind it, and
/// the first one needs the last.
struct broken_circle {
  struct part {
    std::optional<protocol::worker_id> worker;
    wait_kind kind;
    bool chosen;
    std::uint64_t since_ns;
    platform::call_stack calls;
  };
  static constexpr std::uint32_t parts_max = 8;  // of a larger circle the rest is counted

  void add(std::optional<protocol::worker_id> worker, wait_kind kind, std::uint64_t since_ns,
           const platform::call_stack* calls, bool chosen) noexcept {
    if (size++ >= parts_max) return;
    part& p = parts[size - 1];
    p.worker = worker, p.kind = kind, p.chosen = chosen, p.since_ns = since_ns;
    p.calls.size = 0;
    if (calls != nullptr) p.calls = *calls;
  }

  std::uint32_t size = 0;  ///< of the circle
  std::array<part, parts_max> parts;
};

}  // namespace leat::inline LEAT_ABI::waiting
