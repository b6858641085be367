// The channel that its senders empty themselves: rules MAILBOX-1 to MAILBOX-6 of docs/internals/channels.md.
#include "leat/channel/mailbox.hpp"

#include <cstdint>

#include "client.hpp"

namespace {

using namespace leat_test;
using channel = leat::channels::mailbox<checked, message>;

constexpr std::uint32_t last_ticket = ~std::uint32_t{0};

// Each thread sends, and receives for all where it is told to. What is received is noted in plain memory: two receivers at a
// time are a race (MAILBOX-1), and so is one that has not all that the one before it left (MAILBOX-2, MAILBOX-4).
template <int capacity, int senders, int each>
struct sends : client<sends<capacity, senders, each>, senders> {
  channel c{capacity, last_ticket};
  int next[senders]{};
  int received = 0;

  void thread(unsigned i) {
    for (int n = 0; n < each; ++n) {
      if (!c.send(message(static_cast<int>(i) * each + n))) continue;
      checked::writes(&received);  // the part is the caller's from here on, as receive() relies on
      while (const auto got = c.receive()) {
        checked::writes(&received);
        ++received;
        must(next[got->value() / each]++ == got->value() % each, "a sender's messages are received in order");
      }
    }
  }
  void after() { must(received == senders * each, "no message is left alone"); }
};

TEST(mailbox, leaves_no_message_alone) {
  expect_right<sends<2, 2, 1>>();
  expect_right<sends<4, 2, 2>, preemptions<3>>();
  expect_right<sends<4, 3, 1>, preemptions<2>>();
  expect_right<sends<4, 3, 2>, drawn<50'000>>();
}

// MAILBOX-3, MAILBOX-5: who finds no room waits for it, and a place is used again.
TEST(mailbox, has_senders_wait_for_room) {
  expect_right<sends<1, 2, 2>, preemptions<3>>();
  expect_right<sends<2, 3, 2>, drawn<50'000>>();
}

TEST(mailbox, leaves_no_message_alone_long) {
  expect_right<sends<4, 2, 2>, preemptions<5>>();
  expect_right<sends<1, 2, 3>, preemptions<4>>();
  expect_right<sends<4, 3, 1>, preemptions<4>>();
  expect_right<sends<4, 3, 3>, drawn<2'000'000>>();
}

}  // namespace
