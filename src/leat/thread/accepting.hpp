// How a worker accepts an offer to carry. Rules THREAD-7, THREAD-8, THREAD-12.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include "leat/thread/carrier.hpp"

namespace leat::inline LEAT_ABI::threads {

/// How long a worker waits that has no memory for its carrier, before it tries again.
inline constexpr std::uint64_t retry_ns = 1'000'000;

/// Carries on the calling worker as long as the offer stands. Whether that was until all threads had ended,
/// or not at all.
template <class P>
bool carry_for(bubbles::thread_scheduler<P>& home, bubbles::offer<P>& o) {
  // The offer is asked for before there is memory for a carrier, and once more with the carrier, since it may have
  // been withdrawn in between. While the offer names the carrier, withdraw may dismiss it; so the name is taken out,
  // under the offers' lock, before the carrier ends.
  if (home.threads.over() || !home.offers.take(o, nullptr)) return true;
  auto& me = *scheduler::worker<P>::current();
  carrier<P> mine(home, me, o.unit == bubbles::offer<P>::any_unit ? me.id() : o.unit);
  if (home.offers.take(o, &mine)) mine.carry();
  home.offers.take(o, nullptr);
  return home.threads.over();
}

/// See carrier_offers::accept. A worker that carries already, beneath a task or a wait that took the offer as
/// any task of the run, is of no use in another place: a carrier on top would not end before the one beneath.
template <class P>
void accept(bubbles::thread_scheduler<P>& home, const std::shared_ptr<bubbles::offer<P>>& o) {
  if (home.carriers.carries_here()) {
    // On top of a rest: that ends now, and looks for a bubble to take over (REGENERATION-1). On top of a thread: others
    // are told to look.
    if (home.offers.leave_open(o) && carrier<P>::here()->current() != nullptr)
      home.carriers.announce(topology::root_domain);
    return;
  }
  for (;;) {
    try {
      if (!carry_for(home, *o)) home.offers.fill();  // dismissed: other offers may have come to this worker meanwhile
      return;
    } catch (const std::exception&) {
      // THREAD-12: no memory for the carrier. If the worker went away now, it might be the one that a thread waits
      // for.
      scheduler::worker<P>::current()->poll();
      P::sleep_ns(retry_ns);
    }
  }
}

}  // namespace leat::inline LEAT_ABI::threads
