// The channel of one sender and one receiver at a time, which any thread may close: rules RING-1 to RING-5 of
// docs/internals/channels.md.
#include "leat/channel/ring.hpp"

#include <cstdint>

#include "client.hpp"
#include "tally.hpp"

namespace {

using namespace leat_test;
using leat::channels::sent;
using channel = leat::channels::ring<checked, message>;

// The ring is used more than once around.
template <int capacity, int sends, int receives>
struct hands_over : client<hands_over<capacity, sends, receives>, 2> {
  channel c{capacity};
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

// Another thread closes it. Who finds it drained has received all that was sent, and lets the sender in again.
struct closes_and_reopens : client<closes_and_reopens, 3> {
  channel c{2};
  tally<channel> messages;
  int told = 0;

  void thread(unsigned i) {
    if (i == 0) {
      for (int n = 0; n < 2; ++n) messages.send(c, 0);
      if (c.closed() && messages.send(c, 0) == sent::ok) checked::reads(&told);
    } else if (i == 1) {
      messages.receive(c, 0);
      messages.receive(c, 0);
      if (!c.drained()) return;
      checked::writes(&told);
      c.reopen();
    } else {
      c.close();
    }
  }
  void after() { messages.check(c); }
};

// Senders and receivers may change, if one's calls happen before the other's (RING-2).
struct changes_ends : client<changes_ends, 3> {
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

// RING-4: a thread that announces itself in another word and then finds no message, and a sender that sends and then finds nothing
// announced: one of them is wrong. The same of room.
template <bool receives>
struct sees_or_is_seen : client<sees_or_is_seen<receives>, 2> {
  channel c{1};
  checked::atomic<std::uint32_t> announced{0};
  tally<channel> messages;
  bool blocked = false;
  bool seen = false;

  void before() {
    if (!receives) messages.send(c, 0);
  }
  void thread(unsigned i) {
    if (i == 0) {
      announced.store(1, leat::platform::seq_cst);
      blocked = receives ? c.empty() : c.full();
    } else {
      if (receives) messages.send(c, 0);
      else messages.receive(c, 0);
      seen = announced.load(leat::platform::seq_cst) == 1;
    }
  }
  void after() { must(!blocked || seen, "a thread sleeps beside what it waits for"); }
};

// The same of closing.
struct sees_the_close : client<sees_the_close, 2> {
  channel c{1};
  checked::atomic<std::uint32_t> announced{0};
  bool open = false;
  bool seen = false;

  void thread(unsigned i) {
    if (i == 0) {
      announced.store(1, leat::platform::seq_cst);
      open = !c.closed();
    } else {
      c.close();
      seen = announced.load(leat::platform::seq_cst) == 1;
    }
  }
  void after() { must(!open || seen, "a thread sleeps though the channel is closed"); }
};

TEST(ring, hands_over_all_in_order) {
  expect_right<hands_over<1, 2, 2>>();
  expect_right<hands_over<2, 3, 3>, preemptions<4>>();
}

TEST(ring, is_closed_by_another_thread_and_reopened) { expect_right<closes_and_reopens, preemptions<3>>(); }

TEST(ring, changes_ends) { expect_right<changes_ends, preemptions<4>>(); }

TEST(ring, blocks_nobody_unseen) {
  expect_right<sees_or_is_seen<true>>();
  expect_right<sees_or_is_seen<false>>();
  expect_right<sees_the_close>();
}

}  // namespace
