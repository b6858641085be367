// How a thread comes to be a worker for std::execution::par.
#pragma once

#include "leat/handshake/proxies.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/runtime.hpp"
#include "leat/task/insider.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// For threads that are inside leat::blocking. The first call makes it; nothing destroys it, as threads may loop until the
/// process ends.
runtime& runtime_of_blocked();

/// Calls f as a worker: of the run that the thread is in, or of the default runtime. A thread inside leat::blocking can
/// become none, so others do it.
template <class F>
void inside(const F& f) {
  if (platform::chosen::own<handshake::left_workers>().count != 0) return runtime_of_blocked().run(f);
  const task::insider<platform::chosen> in("std::execution::par");
  f();
}

}  // namespace leat::inline LEAT_ABI::adapters::pstl
