// A task that was submitted from outside, on its way to a worker.
#pragma once

#include "leat/handshake/injector.hpp"
#include "leat/work/record.hpp"

namespace leat::inline LEAT_ABI::work {

/// The task's part that lies in the injector.
template <class P>
struct submission : handshake::injector<P>::link {
  explicit submission(awaited_task& of) noexcept : handshake::injector<P>::link{nullptr}, task(&of) {}
  awaited_task* const task;
};

}  // namespace leat::inline LEAT_ABI::work
