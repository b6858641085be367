// How a thread of leat's calls a hook of the program's (options::thread_begin, thread_end).
#pragma once

#include <cstdint>
#include <functional>

#include "leat/handshake/proxies.hpp"

namespace leat::inline LEAT_ABI::scheduler {

/// The calling thread is no worker, and counts as one that has left its worker. Why: so constructs are refused. In the default
/// runtime they might wait for this thread. What a hook throws ends the process, as what a thread throws.
template <class P>
void call_hook(const std::function<void(std::uint32_t)>& hook, std::uint32_t number) noexcept {
  if (!hook) return;
  auto& left = P::template own<handshake::left_workers>();
  ++left.count;
  hook(number);
  --left.count;
}

}  // namespace leat::inline LEAT_ABI::scheduler
