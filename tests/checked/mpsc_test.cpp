// The channel of many senders and one receiver: rules MPSC-1 to MPSC-8 of docs/internals/channels.md.
#include "leat/channel/mpsc.hpp"

#include <cstdint>

#include "client.hpp"
#include "tally.hpp"

namespace {

using namespace leat_test;
using leat::channels::sent;
using channel = leat::channels::mpsc<checked, message>;

constexpr std::uint64_t last_tag = (std::uint64_t{1} << 48) - 1;

// Cells are used again, and the tag that counts their returns wraps.
template <int capacity, int sends, int receives>
struct one_sender : client<one_sender<capacity, sends, receives>, 2> {
  channel c{capacity, last_tag};
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

// MPSC-4: while one sender is about to take the top of the stack of free cells, another takes that and the next, and
// returns it.
struct cells_come_back : client<cells_come_back, 2> {
  channel c{2};
  tally<channel> messages;

  void before() {
    for (int n = 0; n < 2; ++n) messages.send(c, 1);
    for (int n = 0; n < 2; ++n) messages.receive(c, 1);
  }
  void thread(unsigned i) {
    messages.send(c, static_cast<int>(i));
    if (i == 0) return;
    messages.send(c, 1);
    messages.receive(c, 1);
    messages.send(c, 1);
  }
  void after() { messages.check(c); }
};

template <int capacity, int receives>
struct two_senders : client<two_senders<capacity, receives>, 3> {
  channel c{capacity};
  tally<channel> messages;

  void before() {
    messages.send(c, 2);
    messages.receive(c, 2);
  }
  void thread(unsigned i) {
    if (i < 2) {
      const sent s = messages.send(c, static_cast<int>(i));
      must(s == sent::ok || capacity == 1, "there is room for all");
    } else {
      for (int n = 0; n < receives; ++n) messages.receive(c, 2);
    }
  }
  void after() { messages.check(c); }
};

// MPSC-6: what the receiver finds empty after it has closed it stays empty.
template <int sends>
struct closes : client<closes<sends>, 2> {
  channel c{2};
  tally<channel> messages;

  void thread(unsigned i) {
    if (i == 0) {
      for (int n = 0; n < sends; ++n) messages.send(c, 0);
    } else {
      messages.receive(c, 1);
      c.close();
      while (messages.receive(c, 1)) {
      }
    }
  }
  void after() {
    must(c.closed() && c.size() == 0, "no send succeeds after a close");
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

// A sender that is let in again is one that comes after: what the receiver did before that, it sees.
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
      c.close();
    }
  }
  void after() { messages.check(c); }
};

TEST(mpsc, hands_over_what_one_sender_sends) {
  expect_right<one_sender<1, 2, 2>, preemptions<3>>();
  expect_right<one_sender<2, 3, 3>, preemptions<2>>();
}

TEST(mpsc, hands_over_what_two_senders_send) {
  expect_right<two_senders<2, 2>, preemptions<2>>();
  expect_right<two_senders<1, 2>, preemptions<2>>();
  expect_right<two_senders<1, 2>, drawn<100'000>>();
}

TEST(mpsc, takes_no_cell_twice) { expect_right<cells_come_back, preemptions<2>>(); }

TEST(mpsc, closes_exactly) {
  expect_right<closes<2>, preemptions<3>>();
  expect_right<tells_by_closing<false>>();
  expect_right<tells_by_closing<true>>();
}

TEST(mpsc, reopens) { expect_right<reopens, preemptions<5>>(); }

TEST(mpsc, hands_over_all_long) {
  expect_right<one_sender<1, 2, 2>, preemptions<5>>();
  expect_right<one_sender<2, 3, 3>, preemptions<3>>();
  expect_right<closes<2>, preemptions<4>>();
  expect_right<two_senders<2, 2>, preemptions<3>>();
  expect_right<two_senders<1, 3>, drawn<5'000'000>>();
}

}  // namespace
