// The scheduler of green threads and bubbles: the parts that one call of run_threads is made of. Rules THREAD,
// BUBBLE and REGENERATION: docs/internals/bubbles.md.
#pragma once

#include <memory>
#include <utility>

#include "leat/bubble/bubble_members.hpp"
#include "leat/bubble/bubble_scheduler.hpp"
#include "leat/bubble/carrier_offers.hpp"
#include "leat/bubble/carrier_set.hpp"
#include "leat/bubble/domain_lists.hpp"
#include "leat/bubble/regenerator.hpp"
#include "leat/bubble/thread_counts.hpp"
#include "leat/bubble/thread_places.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// Each part owns one thing and its rules, and knows only parts that are declared before it:
///   lists         the machine, and a list of entities for each domain
///   threads       the counts that say when all is over
///   carriers      which of them are free, and which rest
///   offers        places for more carriers
///   bubbles       how bubbles go down, burst and come back together
///   regeneration  when they do so for a unit that is idle, or because a slice is over
///   places        where threads that do not execute are
///   members       the threads and bubbles in bubbles, from their insertion to their end
///
/// Carriers know this whole. It lives as long as run_threads needs it, and then as long as a bubble, or a
/// thread that was made held, keeps it.
template <class P>
class thread_scheduler : public std::enable_shared_from_this<thread_scheduler<P>> {
 public:
  /// \param t  what happens to bubbles is written to it until close(); or null
  /// \param p  decides where bubbles without a policy go; or null
  thread_scheduler(topology::machine m, trace* t, typename carrier_offers<P>::accept a, const policy* p = nullptr)
      : lists(std::move(m)),
        carriers(lists),
        offers(*this, carriers, a),
        bubbles(lists, carriers, t, p),
        regeneration(lists, carriers, offers, bubbles),
        places(lists, carriers, bubbles),
        members(bubbles, places, threads) {}

  const topology::machine& machine() const noexcept { return lists.machine(); }

  /// A thread that only the caller knows yet goes to the root's list.
  void release(green_thread<P>& s) {
    s.released = true;
    threads.release();
    places.put(s, green_thread<P>::phase::blocked);
    if (carriers.carries_here()) offers.fill();
  }

  /// A thread is made held.
  void hold(green_thread<P>& s) noexcept {
    s.kept = this->shared_from_this();
    threads.hold();
  }

  /// One of the threads that were released has ended, or will not begin.
  void count_out() noexcept {
    if (threads.end()) carriers.wake_all();
  }

  bubble_counts counts() noexcept {
    return under(bubbles.lock(), [this] { return bubbles.log().counts(); });
  }

  /// All threads have ended, and no carrier comes any more.
  void close() noexcept {
    places.wait_for_visitors();
    under(bubbles.lock(), [this] { bubbles.log().close(); });
  }

  domain_lists<P> lists;
  thread_counts<P> threads;
  carrier_set<P> carriers;
  carrier_offers<P> offers;
  bubble_scheduler<P> bubbles;
  regenerator<P> regeneration;
  thread_places<P> places;
  bubble_members<P> members;
};

}  // namespace leat::inline LEAT_ABI::bubbles
