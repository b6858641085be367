// The state of a carrier that other threads read: its unit, and whether it has something to do.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "leat/platform/order.hpp"
#include "leat/platform/shared.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::bubbles {

template <class P>
class carrier_set;
template <class P>
class carrier_state;

/// Of each thread of the system: the innermost carrier on it; null where nothing is carried.
template <class P>
struct LEAT_SHARED innermost_carrier {
  carrier_state<P>* carries;
};

/// The words that other threads read and write of a carrier. All else of it belongs to its own worker. `path`
/// leads from its unit to the root.
template <class P>
class LEAT_SHARED carrier_state {
 public:
  using worker = scheduler::worker<P>;
  using path_of_domains = std::vector<topology::domain_id>;

  carrier_state(carrier_set<P>& among, worker& me, topology::unit_id unit, path_of_domains path)
      : among_(among), me_(me), unit_(unit), path_(std::move(path)) {}

  /// The innermost one of the calling worker; or null: also inside leat::blocking, where the thread is no worker.
  /// Never in line, as the caller may have come from another thread: a compiler that saw the thread-local words
  /// here could keep their address across a switch.
  [[gnu::noinline]] static carrier_state* here() noexcept {
    worker* const me = worker::current();
    carrier_state* const c = P::template own<innermost_carrier<P>>().carries;
    return me != nullptr && c != nullptr && &c->me_ == me ? c : nullptr;
  }

  const carrier_set<P>& among() const noexcept { return among_; }
  worker& on() const noexcept { return me_; }
  topology::unit_id unit() const noexcept { return unit_; }
  const path_of_domains& path() const noexcept { return path_; }

  // THREAD-5, THREAD-8. relaxed, all: hints by themselves. A carrier that acts on one looks at lists under their locks;
  // where an order counts carrier_set fences.

  /// Whether it executes a thread, or a task while there is no thread.
  bool is_busy() const noexcept { return busy_.load(platform::relaxed) != 0; }
  void set_busy(bool busy) noexcept { busy_.store(busy, platform::relaxed); }

  /// Whether it rests, and has not been told of anything.
  bool is_idle() const noexcept { return idle_.load(platform::relaxed) != 0; }
  void set_idle(bool idle) noexcept { idle_.store(idle, platform::relaxed); }

  /// Wakes it if it is idle. Whether it was: of several callers one tells it. The load comes first since most
  /// carriers are not idle, and an exchange takes the cache line from the carrier's own worker.
  bool tell_if_idle() noexcept {
    if (!is_idle() || idle_.exchange(0, platform::relaxed) == 0) return false;
    me_.notify();
    return true;
  }

  /// Whether the thread that it executes blocks the worker (THREAD-7).
  bool blocks() const noexcept { return blocks_.load(platform::relaxed) != 0; }
  void set_blocks(bool blocks) noexcept { blocks_.store(blocks, platform::relaxed); }

  /// It is to end when it is done with its present thread. Never taken back: the offer is gone.
  void dismiss() noexcept {
    dismissed_.store(1, platform::release);  // pairs with dismissed
    me_.notify();
  }
  bool dismissed() const noexcept { return dismissed_.load(platform::acquire) != 0; }  // acquire: pairs with dismiss

 private:
  carrier_set<P>& among_;
  worker& me_;
  const topology::unit_id unit_;
  const path_of_domains path_;
  typename P::template atomic<std::uint32_t> idle_{0};
  typename P::template atomic<std::uint32_t> busy_{0};
  typename P::template atomic<std::uint32_t> blocks_{0};
  typename P::template atomic<std::uint32_t> dismissed_{0};
};

}  // namespace leat::inline LEAT_ABI::bubbles
