// How many workers may execute tasks of a run at once.
//
// Rules, cited in the code. The run's count is that of the workers that are *admitted* to it. A run without a cap counts none.
//  CAP-1  A worker is admitted before it gets a task of the run: by the victim that serves it, which serves it else
//      nothing. The count begins at one, for the worker that gets the root. Why: so the cap holds at every moment. A thief may have its task before the
//      manager has counted it.
//  CAP-2  A request for tasks of any run is of a thief that is admitted to none; one for tasks of one run, of a thief that is admitted
//      to that. Why: the victim must know whether to admit, and may not ask the thief.
//  CAP-3  A worker leaves when it has no task of the run and asks for tasks of any: after its hunt, and before its request is sent.
//      With a request out for the run's tasks alone it stays. Why: an answer may bring some. The manager counts the worker under
//      the run until that request comes, so the run still exists.
//  CAP-4  Where the run is full, and no admitted worker asks for its tasks, a worker of the run takes the idle pool for empty. An offer of
//      a full run goes to such a worker alone. The combiner signals the workers of the run, with a new epoch, when one has left it
//      or asks. Why: offers would come back, and each push would poll. A worker that the manager does not count yet is
//      signalled when it does (MANAGER-2). The signal orders the counts (DEQUE-2).
//  CAP-5  A worker that blocks stays admitted (leat::blocking). Why: it goes on with its task when it comes back, and could not
//      wait for room then.
#pragma once

#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// Of one run. Any thread.
template <class P>
class admission {
 public:
  static constexpr std::uint32_t uncapped = ~std::uint32_t{0};

  /// \param most  workers that may be admitted at once, one at least; or `uncapped`
  explicit admission(std::uint32_t most) noexcept : most_(most) {}

  bool is_capped() const noexcept { return most_ != uncapped; }
  std::uint32_t most() const noexcept { return most_; }

  /// CAP-1: admits one more worker, unless the run is full.
  bool admit() noexcept {
    if (!is_capped()) return true;
    std::uint32_t now = admitted_.load(platform::relaxed);  // relaxed: compared below
    while (now < most_) {
      // acquire: pairs with leave. With a cap of one, what a worker did happens before what the next one does.
      if (admitted_.compare_exchange_strong(now, now + 1, platform::acquire, platform::relaxed)) return true;
    }
    return false;
  }

  /// CAP-3: a worker that was admitted leaves.
  void leave() noexcept { admitted_.fetch_sub(1, platform::release); }  // pairs with admit

  /// CAP-4: an admitted worker waits for tasks of the run, wherever they are; it does not any more.
  void ask() noexcept { asking_.fetch_add(1, platform::relaxed); }  // relaxed: its request follows
  void ask_no_more() noexcept { asking_.fetch_sub(1, platform::relaxed); }  // relaxed: at worst an offer is in vain

  /// Whether a worker could be admitted. A hint, and so is the next; but after a signal of the combiner.
  // relaxed, both: the poll acquires (DEQUE-2)
  bool has_room() const noexcept { return !is_capped() || admitted_.load(platform::relaxed) < most_; }
  /// CAP-4: whether no worker could have tasks of the run now.
  bool turns_thieves_away() const noexcept { return !has_room() && asking_.load(platform::relaxed) == 0; }

 private:
  const std::uint32_t most_;
  typename P::template atomic<std::uint32_t> admitted_{1};
  typename P::template atomic<std::uint32_t> asking_{0};  // of these, for tasks of the run
};

}  // namespace leat::inline LEAT_ABI::handshake
