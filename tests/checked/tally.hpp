// What went through a channel: each message once, and each sender's in order.
#pragma once

#include <utility>

#include "client.hpp"
#include "leat/channel/sent.hpp"

namespace leat_test {

/// Each thread writes its own numbers only; they are compared in the end.
template <class Channel>
class tally {
 public:
  leat::channels::sent send(Channel& c, int sender) {
    message m(sender * each_max + sent_[sender]);
    const auto s = c.try_send(std::move(m));
    if (s == leat::channels::sent::ok) ++sent_[sender];
    else must(m.value() == sender * each_max + sent_[sender], "the sender still has what was not sent");
    return s;
  }

  bool receive(Channel& c, int receiver) {
    const auto got = c.try_receive();
    if (!got) return false;
    const int sender = got->value() / each_max;
    const int number = got->value() % each_max;
    must(number >= next_[receiver][sender], "a sender's messages are received in order");
    next_[receiver][sender] = number + 1;
    ++received_[receiver];
    must(!seen_[sender][number], "each message is received once");
    seen_[sender][number] = true;
    return true;
  }

  int sent(int sender) const { return sent_[sender]; }
  int received(int receiver) const { return received_[receiver]; }

  /// When all threads have ended.
  void check(Channel& c) {
    while (receive(c, last)) {
    }
    int sent = 0;
    int received = 0;
    for (int n : sent_) sent += n;
    for (int n : received_) received += n;
    must(sent == received, "all that was sent is received");
  }

 private:
  static constexpr int each_max = 8;
  static constexpr int last = leat::platform::execution::threads_max;

  int sent_[last]{};
  int received_[last + 1]{};
  int next_[last + 1][last]{};
  bool seen_[last][each_max]{};
};

}  // namespace leat_test
