// The channel of one sender and one receiver: rules SPSC-1 to SPSC-6 of docs/internals/channels.md.
#include "leat/channel/spsc.hpp"

#include <cstdint>

#include "client.hpp"
#include "tally.hpp"

namespace {

using namespace leat_test;
using leat::channels::sent;
using channel = leat::channels::spsc<checked, message>;

// The ring is used more than once around, and its indices wrap.
template <int capacity, int sends, int receives>
struct hands_over : client<hands_over<capacity, sends, receives>, 2> {
  channel c{capacity, ~std::uint64_t{0}};
  tally<channel> messages;

  void thread(unsigned i) {
    if (i == 0) {
      for (int n = 0; n < sends; ++n) messages.send(c, 0);
    } else {
      for (int n = 0; n < receives; ++n) messages.receive(c, 0);
    }
  }
  void after() { messages.check(c); }
};

// Who finds the channel drained has received all, and lets the sender in again.
template <int sends>
struct closes_and_reopens : client<closes_and_reopens<sends>, 2> {
  channel c{2};
  tally<channel> messages;
  int told = 0;

  void thread(unsigned i) {
    if (i == 0) {
      for (int n = 0; n < sends; ++n) messages.send(c, 0);
      c.close();
      if (messages.send(c, 0) == sent::ok) checked::reads(&told);
    } else {
      for (int n = 0; n < sends; ++n) messages.receive(c, 0);
      if (!c.drained()) return;
      must(messages.received(0) == sends, "drained of all that was sent before the close");
      checked::writes(&told);
      c.reopen();
      messages.receive(c, 0);
    }
  }
  void after() { messages.check(c); }
};

// Senders may change, if one's calls happen before the other's (SPSC-1): here by a word that the first releases.
struct changes_senders : client<changes_senders, 3> {
  channel c{1};
  checked::atomic<std::uint32_t> turn{0};
  tally<channel> messages;

  void thread(unsigned i) {
    if (i == 0) {
      messages.send(c, 0);
      turn.store(1, leat::platform::release);
    } else if (i == 1) {
      if (turn.load(leat::platform::acquire) == 1) messages.send(c, 1);
    } else {
      messages.receive(c, 0);
      messages.receive(c, 0);
    }
  }
  void after() { messages.check(c); }
};

// size() errs to the side on which each may rely.
struct peeks : client<peeks, 2> {
  channel c{2, ~std::uint64_t{0}};
  tally<channel> messages;

  void thread(unsigned i) {
    if (i == 0) {
      for (int sends = 1; sends <= 3; ++sends) {
        messages.send(c, 0);
        must(c.size() <= 2, "never more than the capacity");
      }
    } else {
      for (std::size_t inside = c.size(); inside != 0; --inside) {
        must(messages.receive(c, 0), "never too many for the receiver");
      }
    }
  }
};

TEST(spsc, hands_over_all_in_order) {
  expect_right<hands_over<1, 2, 2>>();
  expect_right<hands_over<2, 3, 3>, preemptions<4>>();
}

TEST(spsc, closes_and_reopens) {
  expect_right<closes_and_reopens<1>>();
  expect_right<closes_and_reopens<2>>();
}

TEST(spsc, changes_senders) { expect_right<changes_senders, preemptions<4>>(); }

TEST(spsc, peeks) { expect_right<peeks, preemptions<4>>(); }

TEST(spsc, hands_over_all_in_order_long) {
  expect_right<hands_over<1, 3, 3>>();
  expect_right<hands_over<2, 3, 3>>();
  expect_right<changes_senders>();
  expect_right<peeks>();
}

}  // namespace
