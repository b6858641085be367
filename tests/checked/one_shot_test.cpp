// The channel of one message: rules ONESHOT-1 to ONESHOT-7 of docs/internals/channels.md.
#include "leat/channel/one_shot.hpp"

#include <cstdint>
#include <memory>
#include <optional>

#include "client.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using leat::channels::sent;
using channel = leat::channels::one_shot<checked, message>;

struct alignas(channel::waiter_alignment) waiter {
  waiter* next = nullptr;
  int tag = 0;  // what the sender reads of it
  checked::atomic<std::uint32_t> told{0};

  waiter() { checked::writes(&tag); }
  void wait() {
    while (told.load(acquire) == 0) checked::wait(told, 0);
  }
  // The waiter may be gone as soon as it is told.
  static void tell_all(std::uintptr_t first) {
    for (auto* w = reinterpret_cast<waiter*>(first); w != nullptr;) {
      waiter* const next = w->next;
      checked::reads(&w->tag);
      auto& told = w->told;
      told.store(1, release);
      checked::wake_one(told);
      w = next;
    }
  }
};

// The last user destroys the channel (ONESHOT-3). `Receiver` says what its end does.
template <class Receiver>
struct one_sender : client<one_sender<Receiver>, 2> {
  std::optional<channel> c{std::in_place};
  int used = 0;  // by the receiver, before it goes

  void thread(unsigned i) {
    if (i == 1) return Receiver::receive(*this);
    const auto s = c->try_send(message(1));
    must(s.result != sent::full, "the first message");
    if (s.result == sent::closed) checked::reads(&used), c.reset();
    else waiter::tell_all(s.waiter);
  }
  void take() {
    const auto got = c->try_receive();
    must(got && got->value() == 1, "the message is there");
    c.reset();
  }
  void after() { must(!c, "somebody was the last user"); }
};

struct waits {
  static void receive(one_sender<waits>& s) {
    waiter here;
    if (s.c->announce(&here)) here.wait();
    s.take();
  }
};

struct looks_and_goes {
  static void receive(one_sender<looks_and_goes>& s) {
    if (s.c->ready()) return s.take();
    checked::writes(&s.used);
    if (s.c->close()) s.c.reset();
  }
};

struct announces_and_goes {
  static void receive(one_sender<announces_and_goes>& s) {
    waiter here;
    const bool announced = s.c->announce(&here);
    checked::writes(&s.used);
    const bool last = s.c->close();
    if (last && announced) here.wait();  // it will be told
    if (last) s.c.reset();
  }
};

// ONESHOT-7: two receivers wait together, look at the message, and the last of them closes the channel. The sender
// tells each.
struct two_receivers : client<two_receivers, 3> {
  std::optional<channel> c{std::in_place};
  checked::atomic<std::uint32_t> holders{2};

  void thread(unsigned i) {
    if (i == 0) {
      const auto s = c->try_send(message(1));
      if (s.result == sent::closed) c.reset();
      else waiter::tell_all(s.waiter);
      return;
    }
    waiter here;
    if (c->announce_among(&here)) here.wait();
    must(c->message().value() == 1, "the message stays inside");
    if (holders.fetch_sub(1, acq_rel) == 1 && c->close()) c.reset();
  }
  void after() { must(!c, "somebody was the last user"); }
};

// ONESHOT-6: who is alone fills it by a store; the receiver's part is handed on afterwards by a word that says nothing
// of it.
struct filled_alone : client<filled_alone, 2> {
  channel c;
  checked::atomic<std::uint32_t> handed_on{0};

  void thread(unsigned i) {
    if (i == 0) {
      c.fill(message(1));
      handed_on.store(1, relaxed);
    } else if (handed_on.load(relaxed) == 1 && c.ready()) {
      must(c.try_receive()->value() == 1, "the message is there");
    }
  }
};

TEST(one_shot, tells_who_waits) { expect_right<one_sender<waits>>(); }

TEST(one_shot, has_one_last_user) {
  expect_right<one_sender<looks_and_goes>>();
  expect_right<one_sender<announces_and_goes>>();
}

TEST(one_shot, tells_several_receivers) {
  expect_right<two_receivers, preemptions<1>>();
  expect_right<two_receivers, drawn<200'000>>();
}

TEST(one_shot, is_filled_alone) { expect_right<filled_alone>(); }

}  // namespace
