// Who deals with a steal request: the ownership (REQUEST-3, docs/internals/protocol.md), and the offer in which the
// manager hands one over (OFFER-1, OFFER-2 of handshake/offer.hpp).
#include <cstdint>

#include "client.hpp"
#include "leat/handshake/offer.hpp"
#include "leat/handshake/ownership.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using leat::protocol::request;
using ownership = leat::handshake::ownership<checked>;
using offer = leat::handshake::offer<checked>;

// REQUEST-3: a thief posts its request to one victim, and takes it back if it lies unopened. A victim that opens it may
// send it on. The words that tell a victim of a message hand over nothing: all that its holder has is handed over by
// the ownership.
template <int victims>
struct posts : client<posts<victims>, 1 + victims> {
  ownership t;
  checked::atomic<std::uint64_t> mail[victims];  // the serial of the last message to each; 0: none
  int drawn_from = 0;  // the thief's victims, which the holder draws from
  checked::atomic<std::uint32_t> ends{0};

  void before() { hold(); }
  void hold() { checked::writes(&drawn_from); }
  void send(request s, int victim) {
    checked::writes(&t.posted());
    t.post(s);
    mail[victim].store(s.serial, relaxed);
  }
  void end() { ends.fetch_add(1, relaxed); }

  void thread(unsigned i) {
    if (i != 0) return receive(static_cast<int>(i) - 1);
    send({.serial = ownership::first_serial}, 0);
    for (int look = 1; look <= 2; ++look) {
      const auto mine = t.take_back();
      if (!mine) continue;
      checked::reads(&t.posted());
      hold();
      if (look == 2) return end();
      send(*mine, victims - 1);
    }
  }
  void receive(int victim) {
    const std::uint64_t serial = mail[victim].load(relaxed);
    if (serial == 0 || !t.open(serial)) return;  // the thief has it
    hold();
    if (victim != victims - 1) return send({.serial = serial}, victims - 1);
    end();
  }
  void after() { must(ends.load(relaxed) == (t.lies_unopened() ? 0 : 1), "it is answered once, or lies where it is"); }
};

// OFFER-1, OFFER-2: a worker makes two offers, and gives up when it has looked so often. The request is handed to it in
// the offer, or else by other ways, and it makes the second when the first has been dealt with.
struct offers : client<offers, 2> {
  static constexpr std::uint32_t offers_made = 2;
  offer o;
  checked::atomic<std::uint32_t> told{0};
  int of_worker[offers_made]{};  // what each of them writes before it leaves the other alone
  int of_combiner = 0;
  std::uint64_t handed = 0;
  std::uint64_t held = 0;

  void before() { checked::writes(&of_combiner); }
  void thread(unsigned i) {
    for (std::uint32_t n = 0; n < offers_made; ++n) i == 0 ? make(n) : deal_with(n);
  }
  void make(std::uint32_t number) {
    while (!o.may_be_made()) checked::yield();
    o.make();
    told.store(number + 1, release);
    int looks = 0;
    const auto outcome = o.wait([&] {
      checked::writes(&of_worker[number]);
      return ++looks > 1;
    });
    if (outcome != offer::outcome::given_up) checked::reads(&of_combiner);
    if (outcome != offer::outcome::met) return;
    checked::reads(&o.handed());
    held += o.handed().serial;
  }
  void deal_with(std::uint32_t number) {
    while (told.load(acquire) <= number) checked::yield();
    checked::writes(&of_combiner);
    checked::writes(&o.handed());
    const bool is_met = !o.given_up() && o.meet({.serial = number + 1});
    if (is_met) handed += number + 1;
    const auto outcome = o.end();
    must(is_met == (outcome == offer::outcome::met), "it is as the worker sees it");
    if (outcome == offer::outcome::given_up) checked::reads(&of_worker[number]);
  }
  void after() { must(held == handed, "what was handed over has arrived"); }
};

// The same where no request wants the worker's tasks.
struct offers_in_vain : client<offers_in_vain, 2> {
  offer o;
  int of_worker = 0;
  int of_combiner = 0;

  void before() { o.make(); }
  void thread(unsigned i) {
    if (i == 0) {
      const auto outcome = o.wait([this, looks = 0]() mutable {
        checked::writes(&of_worker);
        return ++looks > 1;
      });
      must(outcome != offer::outcome::met, "nothing was handed over");
      if (outcome == offer::outcome::nothing) checked::reads(&of_combiner);
    } else {
      checked::writes(&of_combiner);
      if (o.end() == offer::outcome::given_up) checked::reads(&of_worker);
    }
  }
  void after() { must(o.may_be_made(), "it has been dealt with"); }
};

TEST(ownership, has_one_holder) {
  expect_right<posts<1>>();
  expect_right<posts<2>, preemptions<3>>();
}

TEST(offer, is_met_or_given_up) {
  expect_right<offers, preemptions<3>>();
  expect_right<offers_in_vain>();
}

TEST(ownership, has_one_holder_long) { expect_right<posts<2>, preemptions<6>>(); }

TEST(offer, is_met_or_given_up_long) { expect_right<offers, preemptions<5>>(); }

}  // namespace
