// Which thread combines for the manager, and which workers hear of pooled requests: rules ACTOR-1 to ACTOR-5 of
// post/combining_manager.hpp, WORKER-5 of docs/internals/protocol.md.
#include "leat/post/combining_manager.hpp"

#include <cstdint>

#include "leat/handshake/lookout.hpp"
#include "leat/handshake/relief.hpp"
#include "placed_worker.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
namespace protocol = leat::protocol;
using note = leat::post::note<checked>;
using run = leat::work::run<checked>;
using worker = placed_worker<void (*)()>;

constexpr protocol::worker_id workers = 4;
constexpr protocol::worker_id busy = 3;

// What the manager wants of a scheduler. It is called by one thread at a time (ACTOR-1), and all of it is plain memory.
struct home {
  unsigned kept = 0;
  unsigned asked = 0;
  leat::handshake::marks<checked> lookouts{workers};
  leat::handshake::relief<checked> relief;  // of one idle worker
  leat::handshake::parker<checked> idle;
  leat::handshake::proxies<checked, worker> proxies{1};
  worker* placed = nullptr;  // who is asked, if it is one with a place

  bool keep(const protocol::request&) { return one_more(kept); }
  bool deliver(const protocol::action&, run*) { return true; }
  bool has_room() const { return true; }
  void signal(protocol::worker_id w) {
    must(w == busy, "the others are idle");
    one_more(asked);
    if (placed != nullptr) proxies.reach_if_open(*placed);
  }
  bool offer_stands(protocol::worker_id) const { return true; }
  bool on_lookout(protocol::worker_id w) const { return lookouts(w); }
  std::optional<protocol::worker_id> caller() const { return std::nullopt; }
  bool relieve_by(protocol::worker_id) {
    checked::writes(&kept);  // the combiner's, up to here
    return relief.call(idle);
  }
  void offer_dealt_with(protocol::worker_id, std::optional<protocol::worker_id>) {}
  void poll_for_blocked() {}

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
  leat::post::combining_manager<checked, home> manager{here, workers, 0, 1};
};

// ACTOR-1, ACTOR-2: each message is dealt with by the time that the last of those who sent one has gone.
template <int senders>
struct is_combined : client<is_combined<senders>, senders> {
  manages m;
  void thread(unsigned i) { m.manager.tell(request_of(i)); }
  void after() { must(m.here.kept == senders, "no message is left alone"); }
};

// ACTOR-5: the last thread is idle, and goes on for the others, which call it after each message. It stands by as
// requester::await does: awake, or asleep, until it is called or, here, all have sent what they had.
template <int senders>
struct is_passed_on : client<is_passed_on<senders>, senders + 1> {
  manages m;
  checked::atomic<std::uint32_t> sent{0};

  void thread(unsigned i) {
    if (i == senders) return stand_by();
    m.manager.tell(request_of(i));
    sent.fetch_add(1, relaxed);
    m.here.idle.notify();
  }
  void stand_by() {
    m.here.relief.stand_by();
    m.here.idle.wait([this] { return m.here.relief.is_called() || sent.load(relaxed) == senders; }, 0);
    if (m.here.relief.end()) m.manager.relieve();
  }
  void after() { must(m.here.kept == senders, "no message is left alone"); }
};

// ACTOR-3: a worker on the lookout ends that, and looks, while a request is pooled. It sees the request, or is
// asked.
struct ends_its_lookout : client<ends_its_lookout, 2> {
  manages m;
  run r{1, nullptr, nullptr};
  leat::handshake::lookout<checked> out{m.here.lookouts, busy};
  bool seen = false;

  void before() {
    m.manager.tell({.what = note::kind::enter, .worker = busy, .of = &r});
    out.begin(1);
  }
  void thread(unsigned i) {
    if (i == 0) return m.manager.tell(request_of(0));
    out.end();
    seen = m.manager.read_pool().has_requests;
  }
  void after() { must(seen || m.here.asked == 1, "it is seen, or the worker is asked"); }
};

// WORKER-5: a worker opens its channel and sleeps while a request is pooled. It sees the request, or is woken: else
// it sleeps for ever.
struct opens_its_channel : client<opens_its_channel, 2> {
  manages m;
  run r{1, nullptr, nullptr};
  worker w{[] {}};

  void before() {
    w.responder.requests.close();
    m.here.placed = &w;
    m.manager.tell({.what = note::kind::enter, .worker = busy, .of = &r});
  }
  void thread(unsigned i) {
    if (i == 0) return m.manager.tell(request_of(0));
    w.responder.requests.reopen();
    w.parker_.wait([this] { return m.manager.read_pool().has_requests; }, 0);
  }
};

// ACTOR-4: a worker waits beside its tasks while a second request is pooled. It sees that, or is asked.
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
    epoch_before = m.manager.read_pool().epoch;
    must(asked_before == 1, "the first that is pooled");
  }
  void thread(unsigned i) {
    if (i == 0) return m.manager.tell(request_of(1));
    m.manager.add_waiting_victim();
    seen = m.manager.read_pool().epoch != epoch_before;
  }
  void after() { must(seen || m.here.asked == asked_before + 1, "it is seen, or the worker is asked"); }
};

TEST(combining_manager, leaves_no_message_alone) {
  expect_right<is_combined<2>, preemptions<2>>();
  expect_right<is_combined<3>, drawn<20'000>>();
}

TEST(combining_manager, passes_from_one_to_the_other) {
  expect_right<is_passed_on<1>, preemptions<2>>();
  expect_right<is_passed_on<2>, drawn<20'000>>();
}

TEST(combining_manager, is_heard_by_who_waits) { expect_right<waits_beside_its_tasks, preemptions<2>>(); }

TEST(combining_manager, is_heard_by_who_ends_its_lookout) { expect_right<ends_its_lookout, preemptions<4>>(); }

TEST(combining_manager, is_heard_by_who_opens_its_channel) { expect_right<opens_its_channel, preemptions<2>>(); }

TEST(combining_manager, leaves_no_message_alone_long) {
  expect_right<is_combined<2>, preemptions<3>>();
  expect_right<is_combined<3>, preemptions<1>>();
  expect_right<waits_beside_its_tasks, preemptions<4>>();
  expect_right<ends_its_lookout, preemptions<6>>();
  expect_right<opens_its_channel, preemptions<3>>();
}

TEST(combining_manager, passes_from_one_to_the_other_long) {
  expect_right<is_passed_on<1>, preemptions<5>>();
  expect_right<is_passed_on<2>, drawn<1'000'000>>();
}

}  // namespace
