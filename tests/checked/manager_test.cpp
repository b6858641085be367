// Who attends the manager, and who hears of what rests there: rules A1-A5 of scheduler/attended_manager.hpp.
#include "leat/scheduler/attended_manager.hpp"

#include <cstdint>

#include "client.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
namespace protocol = leat::protocol;
using note = leat::scheduler::note<checked>;
using run = leat::scheduler::run<checked>;

// What the manager wants of a scheduler. It is called by one thread at a time (A1), and all of it is plain memory.
struct home {
  unsigned kept = 0;
  unsigned asked = 0;
  bool relieves = false;  // whether somebody may go on for who attends
  checked::atomic<std::uint32_t> called{0};  // 1: it is to

  bool keep(const protocol::request&) { return one_more(kept); }
  bool deliver(const protocol::action&, run*) { return true; }
  void ask(protocol::worker_id) { one_more(asked); }
  bool offer_stands(protocol::worker_id) const { return true; }
  bool on_lookout(protocol::worker_id) const { return false; }
  std::optional<protocol::worker_id> caller() const { return std::nullopt; }
  bool relieve_by(protocol::worker_id) {
    if (relieves) called.store(1, release);
    return relieves;
  }
  void offer_dealt_with(protocol::worker_id, std::optional<protocol::worker_id>) {}
  void attend_absent() {}

  bool one_more(unsigned& count) {
    checked::writes(&count);
    return ++count != 0;
  }
};

note request_of(protocol::worker_id thief) {
  return {.what = note::kind::request, .about = {.serial = 1, .thief = thief, .status = protocol::status::idle}};
}

struct manages {
  home here;
  leat::scheduler::attended_manager<checked, home> manager{here, 4, 0, 1};
};

// A1, A2: each message is dealt with by the time that the last of those who sent one has gone.
template <int senders>
struct is_attended : client<is_attended<senders>, senders> {
  manages m;
  void thread(unsigned i) { m.manager.tell(request_of(i)); }
  void after() { must(m.here.kept == senders, "no message is left alone"); }
};

// A5: the last thread is idle, and goes on for the others, who leave after each message.
template <int senders>
struct is_passed_on : client<is_passed_on<senders>, senders + 1> {
  manages m;
  void before() { m.here.relieves = true; }
  void go_on() {
    if (m.here.called.exchange(0, acquire) != 0) m.manager.relieve();
  }
  void thread(unsigned i) {
    if (i < senders) return m.manager.tell(request_of(i));
    for (int look = 0; look < 3; ++look) go_on();
  }
  void after() {
    for (int look = 0; look < senders; ++look) go_on();
    must(m.here.kept == senders, "no message is left alone");
  }
};

// A4: a worker waits beside its tasks while a second request comes to rest. It sees that, or is asked.
struct waits_beside_its_tasks : client<waits_beside_its_tasks, 2> {
  manages m;
  run r{1, nullptr, nullptr};
  unsigned asked_before = 0;
  std::uint64_t epoch_before = 0;
  bool seen = false;

  void before() {
    m.manager.tell({.what = note::kind::enter, .worker = 3, .of = &r});
    m.manager.tell(request_of(0));
    asked_before = m.here.asked;
    epoch_before = m.manager.look().epoch;
    must(asked_before == 1, "the first that rests");
  }
  void thread(unsigned i) {
    if (i == 0) return m.manager.tell(request_of(1));
    m.manager.add_waiting_victim();
    seen = m.manager.look().epoch != epoch_before;
  }
  void after() { must(seen || m.here.asked == asked_before + 1, "it is seen, or the worker is asked"); }
};

TEST(attended_manager, leaves_no_message_alone) {
  expect_right<is_attended<2>, preemptions<2>>();
  expect_right<is_attended<3>, drawn<20'000>>();
}

TEST(attended_manager, passes_from_one_to_the_other) {
  expect_right<is_passed_on<1>, preemptions<2>>();
  expect_right<is_passed_on<2>, drawn<20'000>>();
}

TEST(attended_manager, is_heard_by_who_waits) { expect_right<waits_beside_its_tasks, preemptions<2>>(); }

TEST(attended_manager, leaves_no_message_alone_long) {
  expect_right<is_attended<2>, preemptions<3>>();
  expect_right<is_attended<3>, preemptions<1>>();
  expect_right<waits_beside_its_tasks, preemptions<4>>();
}

}  // namespace
