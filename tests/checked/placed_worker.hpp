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
  // As worker::attend.
  void attend() {
    if (!presence.begin_look()) return;
    look();
    if (presence.end_look()) notify();
  }
  void look() {
    checked::writes(&looks);  // one thread at a time (BLOCKING-1)
    looks();
  }

  struct {
    bool closed() const { return requests.closed(); }
    leat::channel::mpsc<checked, std::uint32_t> requests{4};
  } responder;
  leat::scheduler::presence<checked> presence;
  leat::scheduler::parker<checked> parker_;
  Look looks;
};

}  // namespace leat_test
