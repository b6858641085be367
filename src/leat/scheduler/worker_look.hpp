// How a busy worker looks for those who want its tasks (W6).
#pragma once

#include <cassert>
#include <vector>

#include "leat/scheduler/worker_tasks.hpp"

namespace leat::scheduler {

// Deals with every request that came, then offers what is left to requests at rest with the manager (W2, W6).
template <class P>
void worker<P>::look() {
  const stay<P> here(*this, whereabouts::runtime);
  looks_at_pushes_ = 0;
  // An answer that came too late for the wait that asked for it: its tasks are ours to share.
  // (Not for whoever looks in our stead, who cannot run what does not fit: see attend.)
  // What does not fit would run here, in the midst of anything, and overwrite at_hand_.
  if (outstanding_ && tasks_.empty() && answers_.size() != 0 && !absent() && makes_room()) {
    accept(*answers_.try_receive());
  }
  look_at_requests();
}

// Whether we have something for requests at rest that we have not offered since the last of them came.
template <class P>
bool worker<P>::may_offer() noexcept {
  const auto pool = home_.manager_.look();
  return pool.resting && pool.epoch != offered_ && offer_.may_be_made() && has_work();
}

// Whether others offer as much as is wanted, so that we need not yet: with hundreds of workers offers would take all of the
// manager's time. If theirs come to nothing while we are in a long task we are interrupted (I4), unless we are absent or
// about to be somewhere else (V3).
template <class P>
bool worker<P>::others_offer() const noexcept {
  return home_.watch_.on() && !absent() && !goes_away_ && home_.manager_.has_offers_for_all();
}

// While requests rest, a worker looks at every push and pop (W6). That costs a few loads where nobody has asked it since its
// last look, and it has nothing for those who rest that it has not offered. (Who waits looks in earnest: a message may be there
// before the raise, and waiting for that is not waiting for anything that makes the waiter give way.)
template <class P>
bool worker<P>::sees_nothing_new() noexcept {
  const undisturbed<P> here(*this);  // a look in an interrupt changes what is changed here
  if (tasks_.asked_by_others() || !followers_.empty() || (outstanding_ && answers_.size() != 0)) return false;
  if (may_offer()) {
    if (!others_offer()) return false;
  } else if (!home_.manager_.look().resting) {
    if (!lookout_.on() || lookout_.at_last_look()) return false;
    lookout_.spend();
    unserved_.store(0, platform::relaxed);  // relaxed: a hint, as those below
  }
  // relaxed, both: hints, as in look_at_requests.
  looks_.store(looks_.load(platform::relaxed) + 1, platform::relaxed);
  in_vain_.store(0, platform::relaxed);
  return true;
}

// Whether any answer would fit.
template <class P>
bool worker<P>::makes_room() {
  tasks_.rewind();
  while (tasks_.free_slots() < protocol::batch_max) {
    if (!tasks_.grow()) return false;
  }
  return true;
}

// Looks as far as that moves no task of ours but to thieves: what may be done in the middle of a push or a pop (I2).
template <class P>
void worker<P>::look_at_requests() {
  tasks_.lower();
  plain_forks_.lower();
  marked_forks_.lower();
  // relaxed: who wishes raised the limits after it, and we have lowered them (D2).
  if (wanted_.load(platform::relaxed) != exposure_wish::nothing) exposure_.tasks_are_long();  // X3
  // For so many looks after the last request at rest is gone.
  constexpr std::uint32_t lookout_looks = 64;
  if (lookout_.at_last_look()) lookout_.end();  // before it looks at the pool
  bool thieves_rest = false;
  bool put_off = false;
  for (;;) {
    // What was kept, there may be something for now (L5).
    std::erase_if(followers_, [this](const request& s) { return serve_follower(s); });
    while (auto s = follows_.try_receive()) {
      if (!home_.open(*s) || serve_follower(*s)) continue;
      assert(followers_.size() < followers_.capacity());  // each worker has one request
      followers_.push_back(*s);
    }
    while (auto s = requests_.try_receive()) {
      offered_ = 0;  // whatever becomes of this one, there may be others to offer to
      if (home_.open(*s)) hold(*s);
    }
    const auto pool = home_.manager_.look();
    thieves_rest = pool.resting;
    // One offer for each change of the pool, and another after each request that it brought.
    if (!thieves_rest || !has_work() || offered_ == pool.epoch) break;
    if ((put_off = others_offer())) break;
    if (!make_offer(pool.epoch) && !somebody_asks()) break;
  }
  if (thieves_rest && !absent()) {
    lookout_.begin(lookout_looks);
  } else if (lookout_.on()) {
    lookout_.spend();
  }
  const bool again = thieves_rest || !followers_.empty();
  const bool looks_again = again || lookout_.on();
  tasks_.settle(looks_again);
  plain_forks_.settle(looks_again);
  marked_forks_.settle(looks_again);
  home_.attend_absent();  // to whom we sent something (Y2)
  // relaxed, all: hints for who watches (I4). We alone write them.
  unserved_.store(again ? 1 : 0, platform::relaxed);
  in_vain_.store(interrupted_ && again ? in_vain_.load(platform::relaxed) + (put_off ? 0 : 1) : 0, platform::relaxed);
  looks_.store(looks_.load(platform::relaxed) + 1, platform::relaxed);
}

// Offers tasks to the manager, and waits until it has handed a request over or found none: we may not look again for
// long. If another thread attends and is preempted, not for ever: then the manager wakes the thief whose request comes
// too late, to take it back. Returns false if an offer is not dealt with.
template <class P>
bool worker<P>::make_offer(std::uint64_t epoch) {
  if (!offer_.may_be_made()) return false;
  offered_ = epoch;
  count(event::offers);
  offer_.make();
  home_.manager_.tell({note<P>::kind::offer, id_, {}, run_});
  const auto outcome = offer_.wait([this] { return somebody_asks(); });  // W6: others wait for us, too
  if (outcome == offer<P>::outcome::met) {
    offered_ = 0;  // there may be others
    hold(offer_.handed());
  }
  return outcome != offer<P>::outcome::given_up;
}

}  // namespace leat::scheduler
