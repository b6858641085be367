// The counts of one worker: its own, and those of its interrupt handler.
#pragma once

#include <cstdint>

#include "leat/events/counters.hpp"

namespace leat::inline LEAT_ABI::events {

/// The worker alone writes; any thread may read. The handler of interrupts has a tally of its own: an addition is a
/// load and a store, and a handler between the two would be lost (INTERRUPT-3).
template <class P>
class worker_counts {
 public:
  /// Outside the handler.
  void add(event e, std::uint64_t n = 1) noexcept { own_.add(e, n); }
  /// One less: the event did not come to pass after all. By addition modulo 2^64, as a tally only adds.
  void take_one(event e) noexcept { add_in_poll(e, ~std::uint64_t{0}); }
  void at_least(event e, std::uint64_t n) noexcept { own_.at_least(e, n); }

  /// Where the handler may be at work: it may have interrupted the counting of the same event (INTERRUPT-3).
  void add_in_poll(event e, std::uint64_t n = 1) noexcept { current_->add(e, n); }
  void begin_handler() noexcept { current_ = &of_handler_; }
  void end_handler() noexcept { current_ = &own_; }

  /// On the counted platform: what this thread asked of the memory system so far.
  void set_operations() noexcept {
    if constexpr (requires { P::counts(); }) {
      const auto& c = P::counts();
      own_.set(event::fences, c.fences);
      own_.set(event::cas, c.cas);
      own_.set(event::rmw, c.rmw);
      own_.set(event::signals, c.signals);
    }
  }

  std::uint64_t of_tasks() const noexcept { return own_[event::tasks]; }

  counters read() const noexcept {
    counters both = own_.read();
    both += of_handler_.read();
    return both;
  }

 private:
  alignas(platform::cache_line) tally<P> own_;
  tally<P> of_handler_;
  tally<P>* current_ = &own_;
};

}  // namespace leat::inline LEAT_ABI::events
