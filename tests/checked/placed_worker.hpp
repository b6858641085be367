// A worker of which the clients need no more than its place: whether it sleeps, is blocked, or has closed its channel.
#pragma once

#include <cstdint>

#include "client.hpp"
#include "leat/channel/mpsc.hpp"
#include "leat/handshake/parker.hpp"
#include "leat/handshake/presence.hpp"
#include "leat/handshake/proxies.hpp"

namespace leat_test {

/// `Poll` is what it does when it polls, or its proxy does.
template <class Poll>
struct placed_worker {
  explicit placed_worker(Poll does) : polls(does) {}

  bool notify() { return parker_.notify(); }
  // As worker::poll_by_proxy.
  void poll_by_proxy() {
    if (!presence.begin_poll()) return;
    poll();
    if (presence.end_poll()) notify();
  }
  void poll() {
    checked::writes(&polls);  // one thread at a time (BLOCKING-1)
    polls();
  }

  struct {
    bool closed() const { return requests.closed(); }
    leat::channels::mpsc<checked, std::uint32_t> requests{4};
  } responder;
  leat::handshake::presence<checked> presence;
  leat::handshake::parker<checked> parker_;
  Poll polls;
};

}  // namespace leat_test
