// The hand-over of a future's task and result: rules FUTURE-1 to FUTURE-6 of task/future_record.hpp, with workers that do
// nothing else.
#include <cstdint>
#include <functional>
#include <optional>

#include "client.hpp"
#include "leat/handshake/parker.hpp"
#include "leat/memory/block_cache.hpp"
#include "leat/scheduler/worker.hpp"

namespace {

/// The checked platform, for workers of their own.
struct for_futures : leat::platform::checked {};

struct scheduler_stub {};

}  // namespace

namespace leat::inline LEAT_ABI::scheduler {

// A worker gives the task that it makes to another at once, and finds nothing to do while it waits.
template <>
class worker<for_futures> {
 public:
  using blocks_type = memory::block_cache<for_futures>;

  worker(scheduler_stub& of, protocol::worker_id id) : home(of), blocks(&of), id_(id) {}

  static worker* current() { return static_cast<worker*>(for_futures::self()); }
  static worker& need(worker* w) { return *w; }

  protocol::worker_id id() const { return id_; }
  struct runner_stub {
    void spawn(work::awaited_call call) { given.store(call.task, platform::release); }
    protocol::run_id run_id() const { return 1; }
    ground on() const { return ground::task; }
    void set_ground(ground) {}
    bool take_back(const work::awaited_call&) { return false; }
    bool has_spent_records() const { return false; }
    void note_spent_records(bool) {}
    bool has_tasks() const { return false; }
    template <class F, class Wanted>
    std::optional<F> take_newest_if(Wanted) {
      return std::nullopt;
    }
    struct task_scope {
      task_scope(runner_stub&, const void*) {}
    };

    /// The record that this worker has made.
    platform::checked::atomic<work::awaited_task*> given{nullptr};
  };
  struct waiter_stub {
    template <class Ready, class Whom>
    std::uint32_t help_until(const void*, const waiting::wait_about&, Ready ready, Whom) {
      parker.wait(ready, 0);
      return 0;
    }
    template <class Ready>
    std::uint32_t work_until(Ready ready, const waiting::wait_about*) {
      parker.wait(ready, 0);
      return 0;
    }
    void list_if_reported(std::optional<waiting::long_wait<for_futures>>&, waiting::wait_kind, const void*) {}
    std::uint32_t end_listed(std::optional<waiting::long_wait<for_futures>>&) { return 0; }

    handshake::parker<for_futures> parker;
  };
  void poll() {}
  void notify() { waiter.parker.notify(); }

  template <class T>
  static void recycle(void* block, memory::block_home<for_futures>* home) {
    current()->blocks.template release<T>(block, home);
  }

  scheduler_stub& home;
  runner_stub runner;
  waiter_stub waiter;
  blocks_type blocks;

 private:
  const protocol::worker_id id_;
};

template <>
class ancestor_scope<for_futures> {
 public:
  ancestor_scope(worker<for_futures>&, const void*) {}
};

}  // namespace leat::inline LEAT_ABI::scheduler

#include "leat/task/future.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using worker = leat::scheduler::worker<for_futures>;

// A task whose parts and result are noted: the part is written where it is made, the result where it is executed.
struct doubles {
  message part{21};
  int* executed;
  message operator()() {
    checked::writes(executed);
    ++*executed;
    return message(2 * part.value());
  }
};

using future = leat::task::future<for_futures, message>;
using shared_future = leat::task::shared_future<for_futures, message>;

// The first thread makes the future; the second comes upon its record, if that is there by then. `Client` says what the
// holders do.
template <class Client, int threads>
struct makes_future : client<Client, threads> {
  scheduler_stub home;
  std::optional<worker> workers[threads];
  int executed = 0;

  Client& self() { return static_cast<Client&>(*this); }

  void before() {
    for (unsigned i = 0; i < threads; ++i) workers[i].emplace(home, i);
  }
  void thread(unsigned i) {
    checked::self() = &*workers[i];
    self().act(i);
  }
  future make() { return leat::task::async<for_futures>(doubles{.executed = &executed}); }
  void come_upon() {
    if (auto* record = workers[0]->runner.given.exchange(nullptr, acquire)) record->come_upon();
  }
  // What is left in the deque in the end is come upon then.
  void after() {
    checked::self() = &*workers[1];
    come_upon();
    must(executed == 1, "it is executed once");
  }
};

struct gets : makes_future<gets, 2> {
  void act(unsigned i) {
    if (i == 1) return come_upon();
    future f = make();
    must(f.get().value() == 42, "the result");
  }
};

struct waits_for_any : makes_future<waits_for_any, 2> {
  void act(unsigned i) {
    if (i == 1) return come_upon();
    future f = make();
    f.wait(leat::task::wait::any);
    must(f.is_ready() && f.get().value() == 42, "the result");
  }
};

struct drops : makes_future<drops, 2> {
  void act(unsigned i) {
    if (i == 1) return come_upon();
    const future f = make();
  }
};

struct takes_when_ready : makes_future<takes_when_ready, 2> {
  void act(unsigned i) {
    if (i == 1) return come_upon();
    future f = make();
    if (f.is_ready()) must(f.get().value() == 42, "the result");
  }
};

// Two holders share it. The second has its share from the first.
template <bool come_upon_early>
struct share : makes_future<share<come_upon_early>, come_upon_early ? 3 : 2> {
  checked::atomic<shared_future*> shared{nullptr};
  std::optional<shared_future> second;

  void act(unsigned i) {
    if (i == 0) {
      shared_future f = this->make().share();
      second.emplace(f);
      shared.store(&*second, release);
      must(f.get().value() == 42, "the result");
    } else if (i == 1) {
      shared_future* const mine = shared.load(acquire);
      if (mine == nullptr) return;
      must(mine->get().value() == 42, "the result");
      second.reset();
    } else {
      this->come_upon();
    }
  }
  void after() {
    checked::self() = &*this->workers[1];
    second.reset();
    makes_future<share, come_upon_early ? 3 : 2>::after();
  }
};

TEST(future, is_got_once) {
  expect_right<gets, preemptions<4>>();
  expect_right<waits_for_any, preemptions<4>>();
}

TEST(future, is_dropped) {
  expect_right<drops>();
  expect_right<takes_when_ready>();
}

TEST(future, is_shared) {
  expect_right<share<false>, preemptions<3>>();
  expect_right<share<true>, preemptions<1>>();
  expect_right<share<true>, drawn<50'000>>();
}

}  // namespace
