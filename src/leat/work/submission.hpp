// A task that was submitted from outside, on its way to a worker.
#pragma once

#include "leat/handshake/intake.hpp"
#include "leat/work/record.hpp"

namespace leat::inline LEAT_ABI::work {

/// The task's part that lies in the intake.
template <class P>
struct submission : handshake::intake<P>::link {
  explicit submission(awaited_task& of) noexcept : handshake::intake<P>::link{nullptr}, task(&of) {}
  awaited_task* const task;
};

}  // namespace leat::inline LEAT_ABI::work
