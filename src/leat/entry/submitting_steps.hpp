// The body of submitting.
#pragma once

#include "leat/entry/submitting.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::entry {

// In a forked child, threads of the parent may hold shelves.
template <class P>
scheduler::shelf<P>* shelf_of(scheduler::channel_scheduler<P>& to) {
  if (to.forked()) throw forked_process("leat::runtime::submit: this process was forked; its runtime has no workers");
  return to.submitted().enter();
}

template <class P>
submitting<P>::submitting(scheduler::channel_scheduler<P>& to) : to_(to), shelf_(shelf_of(to)) {
  try {
    if (shelf_ == nullptr) own_.emplace(&to);
  } catch (...) {
    to.submitted().leave(shelf_);
    throw;
  }
}

template <class P>
submitting<P>::~submitting() {
  to_.submitted().leave(shelf_);
}

template <class P>
bool submitting<P>::closed() const noexcept {
  return to_.submitted().closed();
}

template <class P>
bool submitting<P>::put(work::submission<P>& s) {
  return to_.submitted().put(s);
}

}  // namespace leat::inline LEAT_ABI::entry
