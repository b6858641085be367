// A worker of which the clients need no more than its place: whether it sleeps, is absent, or has closed its channel.
#pragma once

#include <cstdint>

#include "client.hpp"
#include "leat/channel/mpsc.hpp"
#include "leat/scheduler/attendance.hpp"
#include "leat/scheduler/parker.hpp"
#include "leat/scheduler/presence.hpp"

namespace leat_test {

/// `Look` is what it does when it looks, or another in its stead.
template <class Look>
struct placed_worker {
  explicit placed_worker(Look does) : looks(does) {}

  bool notify() { return parker_.notify(); }
  bool absent() const { return presence_.absent(); }
  // As worker::attend.
  void attend() {
    if (!presence_.begin_look()) return;
    look();
    if (presence_.end_look()) notify();
  }
  void look() {
    checked::writes(&looks);  // one thread at a time (Y1)
    looks();
  }

  leat::scheduler::presence<checked> presence_;
  leat::scheduler::parker<checked> parker_;
  leat::channel::mpsc<checked, std::uint32_t> requests_{4};
  checked::atomic<std::uint32_t> called_{0};
  Look looks;
};

}  // namespace leat_test
