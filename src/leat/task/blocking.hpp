// Calls that block: another worker takes the place of the one that makes them.
#pragma once

#include <type_traits>

#include "leat/entry/blocked_scope.hpp"
#include "leat/strands/strands.hpp"

namespace leat::inline LEAT_ABI::task {

/// See leat::blocking. A thread that is no worker needs no other one in its place, so f is just called.
/// \throws what f throws; the scope has ended by then
template <class P, class F>
std::invoke_result_t<F&> blocking(F& f) {
  auto* me = scheduler::worker<P>::current();
  if (me == nullptr) return f();
  [[maybe_unused]] const strands::pause<P> here;
  const entry::blocked_scope<P> away(*me);
  if constexpr (strands::profiles<P>) {
    const strands::blocked_strand<P> blocked(here.waiting() != nullptr);
    return f();
  } else {
    return f();
  }
}

}  // namespace leat::inline LEAT_ABI::task
