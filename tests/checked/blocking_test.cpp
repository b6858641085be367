// Workers that are blocked, or asleep with something to offer: rules BLOCKING-1 to BLOCKING-6 of
// handshake/proxies.hpp, OFFER-3 of handshake/offer.hpp, and how a thread is interrupted that may leave.
#include <cstdint>
#include <functional>

#include "leat/handshake/offer.hpp"
#include "placed_worker.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using worker = placed_worker<std::function<void()>>;
using proxies = leat::handshake::proxies<checked, worker>;
using offer = leat::handshake::offer<checked>;

// As blocked_scope::leave and come_back, the others as post::send.
void leave(worker& w, proxies& to) {
  w.presence.leave();
  to.call(w);
  to.serve();
}
void come_back(worker& w) {
  w.presence.come_back([&](auto back) { w.parker_.wait(back, 0); });
  w.poll();
}
void ask(worker& w, proxies& by) {
  w.responder.requests.try_send(1);
  by.reach(w);
  by.serve();
}

// The first thread leaves while others ask it. It stays away, or comes back.
template <int askers, bool returns>
struct is_asked : client<is_asked<askers, returns>, 1 + askers> {
  proxies there{1};
  int seen = 0;
  worker w{[this] {
    while (w.responder.requests.try_receive()) ++seen;
  }};

  void thread(unsigned i) {
    if (i != 0) return ask(w, there);
    w.poll();
    leave(w, there);
    if (returns) come_back(w);
  }
  void after() {
    if (returns) w.poll();  // it is in its place, and polls by itself
    must(seen == askers, "each asker is seen");
  }
};

// Two workers are blocked, and two threads ask both: one may poll for one while the other is called
// (BLOCKING-4, BLOCKING-6).
struct two_are_asked : client<two_are_asked, 2> {
  proxies there{2};
  int seen = 0;
  worker first{[this] {
    while (first.responder.requests.try_receive()) ++seen;
  }};
  worker second{[this] {
    while (second.responder.requests.try_receive()) ++seen;
  }};

  void before() {
    leave(first, there);
    leave(second, there);
  }
  void thread(unsigned) {
    ask(first, there);
    ask(second, there);
  }
  void after() { must(seen == 4, "each asker is seen"); }
};

// BLOCKING-1, BLOCKING-5: the presence alone hands over what is the worker's, to proxies and back to the worker.
template <int proxies>
struct is_polled_for : client<is_polled_for<proxies>, 1 + proxies> {
  leat::handshake::presence<checked> place;
  int own = 0;

  void thread(unsigned i) {
    if (i != 0) {
      if (!place.begin_poll()) return;
      checked::writes(&own);
      place.end_poll();
      return;
    }
    checked::writes(&own);
    place.leave();
    place.come_back([](auto back) {
      while (!back()) checked::yield();
    });
    checked::writes(&own);
    must(!place.blocked(), "it is in its place");
  }
};

// BLOCKING-2: a worker that has left is not interrupted, when it has seen that nobody is about to.
template <int interrupters>
struct is_interrupted : client<is_interrupted<interrupters>, 1 + interrupters> {
  leat::handshake::presence<checked> place;
  int interrupts[interrupters]{};  // of the worker's thread, each by one other

  void before() {
    for (int& by : interrupts) checked::writes(&by);
  }
  void thread(unsigned i) {
    if (i != 0) {
      if (place.begin_interrupt()) checked::writes(&interrupts[i - 1]);
      return place.end_interrupt();
    }
    place.leave();
    while (place.is_interrupted()) checked::yield();
    for (int& by : interrupts) checked::writes(&by);  // the program's call
  }
};

// OFFER-3: a worker that has given its offer up closes its channel. Then it has tasks again, opens the channel, and may
// not offer them before the offer has been dealt with. It is told of that, asleep or blocked.
template <bool sleeps>
struct waits_for_leave_to_offer : client<waits_for_leave_to_offer<sleeps>, 2> {
  proxies there{1};
  offer o;
  bool offers = false;
  worker w{[this] { offers = offers || o.may_be_made(); }};

  void before() {
    w.responder.requests.close();
    o.make();
    must(o.wait([] { return true; }) == offer::outcome::given_up, "nobody deals with it");
  }
  void thread(unsigned i) {
    if (i == 1) {
      // As channel_scheduler::offer_dealt_with.
      if (o.end() == offer::outcome::given_up) there.reach_if_open(w);
      return there.serve();
    }
    w.responder.requests.reopen();
    if (!sleeps) return leave(w, there);
    w.parker_.wait([this] { return o.may_be_made(); }, 0);
    offers = true;
  }
  void after() { must(offers, "what it has is offered"); }
};

TEST(blocking, leaves_no_request_unseen) {
  expect_right<is_asked<1, false>, preemptions<1>>();
  expect_right<is_asked<1, true>, preemptions<1>>();
  expect_right<is_asked<2, false>, drawn<20'000>>();
  expect_right<is_asked<2, true>, drawn<20'000>>();
  expect_right<two_are_asked, drawn<10'000>>();
}

TEST(blocking, is_polled_for) {
  expect_right<is_polled_for<1>>();
  expect_right<is_polled_for<2>, preemptions<3>>();
}

TEST(blocking, is_not_interrupted) {
  expect_right<is_interrupted<1>>();
  expect_right<is_interrupted<2>, preemptions<3>>();
}

TEST(blocking, hears_of_its_offer) {
  expect_right<waits_for_leave_to_offer<true>, preemptions<3>>();
  expect_right<waits_for_leave_to_offer<false>, preemptions<1>>();
}

TEST(blocking, leaves_no_request_unseen_long) {
  expect_right<is_asked<1, false>, preemptions<2>>();
  expect_right<is_asked<1, true>, preemptions<2>>();
  expect_right<is_asked<2, true>, drawn<500'000>>();
  expect_right<two_are_asked, drawn<500'000>>();
}

}  // namespace
