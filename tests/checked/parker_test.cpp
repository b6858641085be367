// How a thread without work sleeps: rules PARKER-1 and PARKER-2 of handshake/parker.hpp. A wake-up that is lost is a
// deadlock.
#include "leat/handshake/parker.hpp"

#include <cstdint>

#include "client.hpp"
#include "leat/channel/mpsc.hpp"
#include "tally.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using parker = leat::handshake::parker<checked>;

// Each of the other threads brings some news; the first thread sleeps until all has come.
template <int notifiers>
struct sleeps_until_notified : client<sleeps_until_notified<notifiers>, 1 + notifiers> {
  parker sleeper;
  checked::atomic<std::uint32_t> news{0};

  void thread(unsigned i) {
    if (i == 0) {
      // relaxed: it is the parker that must not lose the wake-up.
      sleeper.wait([&] { return news.load(relaxed) == notifiers; }, 0);
    } else {
      news.fetch_add(1, relaxed);
      sleeper.notify();
    }
  }
};

// It sleeps twice, on the same word.
struct sleeps_twice : client<sleeps_twice, 2> {
  parker sleeper;
  checked::atomic<std::uint32_t> news{0};

  void thread(unsigned i) {
    for (std::uint32_t n = 1; n <= 2; ++n) {
      if (i == 0) {
        sleeper.wait([&] { return news.load(relaxed) >= n; }, 0);
      } else {
        news.store(n, relaxed);
        sleeper.notify();
      }
    }
  }
};

// It does not sleep longer than it may, and no news is lost that has come by then.
struct sleeps_for_a_time : client<sleeps_for_a_time, 2> {
  parker sleeper;
  checked::atomic<std::uint32_t> news{0};

  void thread(unsigned i) {
    if (i == 0) {
      const bool there = sleeper.wait_for([&] { return news.load(relaxed) == 1; }, 3);
      if (!there) sleeper.wait([&] { return news.load(relaxed) == 1; }, 0);
    } else {
      news.store(1, relaxed);
      sleeper.notify();
    }
  }
};

// The receiver of an mpsc channel parks when that is empty (docs/internals/channels.md, Parking).
struct receiver_parks : client<receiver_parks, 2> {
  using channel = leat::channels::mpsc<checked, message>;
  channel c{1};
  parker sleeper;
  tally<channel> messages;

  void thread(unsigned i) {
    if (i == 0) {
      sleeper.wait([&] { return !c.empty(); }, 0);
      must(messages.receive(c, 0), "it is there");
    } else {
      messages.send(c, 1);
      sleeper.notify();
    }
  }
};

TEST(parker, loses_no_wake_up) {
  expect_right<sleeps_until_notified<1>>();
  expect_right<sleeps_until_notified<2>, preemptions<2>>();
  expect_right<sleeps_twice, preemptions<4>>();
}

TEST(parker, loses_none_in_a_sleep_that_ends) { expect_right<sleeps_for_a_time, preemptions<3>>(); }

TEST(parker, loses_no_message) { expect_right<receiver_parks, preemptions<2>>(); }

}  // namespace
