// The channel of many senders and many receivers: rules MPMC-1 to MPMC-6 of docs/internals/channels.md.
#include "leat/channel/mpmc.hpp"

#include <cstdint>

#include "client.hpp"
#include "tally.hpp"

namespace {

using namespace leat_test;
using leat::channels::sent;
using channel = leat::channels::mpmc<checked, message>;

template <int capacity, int sends, int receives>
struct one_of_each : client<one_of_each<capacity, sends, receives>, 2> {
  channel c{capacity, ~std::uint64_t{0}};
  tally<channel> messages;

  void thread(unsigned i) {
    if (i == 0) {
      for (int n = 0; n < sends; ++n) messages.send(c, 0);
    } else {
      for (int n = 0; n < receives; ++n) messages.receive(c, 1);
    }
  }
  void after() { messages.check(c); }
};

template <int capacity>
struct two_senders : client<two_senders<capacity>, 3> {
  channel c{capacity, ~std::uint64_t{0}};
  tally<channel> messages;

  void thread(unsigned i) {
    if (i < 2) {
      messages.send(c, static_cast<int>(i));
    } else {
      messages.receive(c, 2);
      messages.receive(c, 2);
    }
  }
  void after() { messages.check(c); }
};

template <int capacity>
struct two_receivers : client<two_receivers<capacity>, 3> {
  channel c{capacity, ~std::uint64_t{0}};
  tally<channel> messages;

  void thread(unsigned i) {
    if (i == 0) {
      messages.send(c, 0);
      messages.send(c, 0);
    } else {
      messages.receive(c, static_cast<int>(i));
    }
  }
  void after() { messages.check(c); }
};

// MPMC-6: who finds the channel drained leaves nothing behind, and sees what was done before the close.
struct closes : client<closes, 3> {
  channel c{1};
  tally<channel> messages;
  int told = 0;
  bool drained = false;

  void thread(unsigned i) {
    if (i == 0) {
      messages.send(c, 0);
    } else if (i == 1) {
      checked::writes(&told);
      c.close();
    } else {
      messages.receive(c, 2);
      drained = c.drained();
      if (drained) checked::reads(&told);
    }
  }
  void after() {
    must(!drained || messages.sent(0) == messages.received(2), "drained of all that was sent");
    must(messages.send(c, 0) == sent::closed, "a close lasts");
    messages.check(c);
  }
};

// Who finds the channel closed, by a send or by asking, sees what was done before the close.
template <bool asks>
struct tells_by_closing : client<tells_by_closing<asks>, 2> {
  channel c{1};
  tally<channel> messages;
  int told = 0;

  void thread(unsigned i) {
    if (i == 1) {
      checked::writes(&told);
      c.close();
    } else if (asks ? c.closed() : messages.send(c, 0) == sent::closed) {
      checked::reads(&told);
    }
  }
  void after() { messages.check(c); }
};

struct reopens : client<reopens, 2> {
  channel c{1};
  tally<channel> messages;
  int told = 0;

  void before() { c.close(); }
  void thread(unsigned i) {
    if (i == 0) {
      if (messages.send(c, 0) == sent::ok) checked::reads(&told);
    } else {
      checked::writes(&told);
      c.reopen();
      messages.receive(c, 1);
    }
  }
  void after() { messages.check(c); }
};

TEST(mpmc, hands_over_between_two) {
  expect_right<one_of_each<1, 2, 2>>();
  expect_right<one_of_each<2, 3, 3>, preemptions<3>>();
}

TEST(mpmc, hands_over_what_two_senders_send) {
  expect_right<two_senders<1>, preemptions<2>>();
  expect_right<two_senders<2>, preemptions<2>>();
}

TEST(mpmc, hands_over_to_two_receivers) {
  expect_right<two_receivers<1>, preemptions<2>>();
  expect_right<two_receivers<2>, preemptions<2>>();
}

TEST(mpmc, closes) {
  expect_right<closes, preemptions<4>>();
  expect_right<tells_by_closing<false>>();
  expect_right<tells_by_closing<true>>();
}

TEST(mpmc, reopens) { expect_right<reopens>(); }

TEST(mpmc, hands_over_all_long) {
  expect_right<one_of_each<2, 3, 3>, preemptions<6>>();
  expect_right<two_senders<2>, preemptions<4>>();
  expect_right<two_receivers<2>, preemptions<4>>();
}

}  // namespace
