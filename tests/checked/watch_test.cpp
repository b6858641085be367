// Who keeps watch: rules INTERRUPT-5 and INTERRUPT-6 of docs/internals/interrupts.md, with workers that do nothing else
// than sleep. A worker deep in a task goes on only when it is interrupted; if nobody keeps watch, all sleep for ever.
#include "leat/handshake/watch.hpp"

#include <cstdint>
#include <optional>

#include "client.hpp"
#include "leat/handshake/parker.hpp"

namespace {

/// The checked platform, for workers of their own.
struct for_watches : leat::platform::checked {};

using namespace leat::platform;
using namespace leat_test;

class monitor {
 public:
  explicit monitor(leat::handshake::parker<for_watches>& p) : parker_(p) {}

  bool owes_a_poll() const { return deep_.load(relaxed) == 1; }
  /// One look of the keeper more than a sleeper makes for itself.
  bool overdue(std::uint64_t, std::uint64_t) { return ++looked_at_ > 2; }
  bool interrupt() {
    deep_.store(0, relaxed);
    return parker_.notify();
  }
  void set_dozes(bool dozes) { dozes_.store(dozes ? 1 : 0, relaxed); }
  bool dozes() const { return dozes_.load(relaxed) != 0; }

  void begin_task() { deep_.store(1, relaxed); }

 private:
  leat::handshake::parker<for_watches>& parker_;
  checked::atomic<std::uint32_t> dozes_{0};
  checked::atomic<std::uint32_t> deep_{0};
  int looked_at_ = 0;
};

class worker {
 public:
  explicit worker(leat::protocol::worker_id id) : monitor(parker), id_(id) {}

  leat::protocol::worker_id id() const { return id_; }
  bool notify() { return parker.notify(); }
  void begin_task() { monitor.begin_task(); }
  /// Executes a task that ends when it is interrupted.
  void be_deep() {
    begin_task();
    parker.wait([this] { return !monitor.owes_a_poll(); }, 0);
  }

  struct uncounted {
    void add(leat::event) {}
  } counts;
  struct unprofiled {
    struct asleep {
      explicit asleep(unprofiled&) {}
      ~asleep() {}  // so that it counts as used
    };
  } times;
  leat::handshake::parker<for_watches> parker;
  ::monitor monitor;

 private:
  const leat::protocol::worker_id id_;
};

void interrupted() noexcept {}

// What the watch needs of a scheduler. Who comes upon a worker reads what its maker has written.
struct home {
  worker& worker_at(std::uint32_t i) const {
    checked::reads(&each[i]);
    return *each[i];
  }
  std::uint32_t workers_started() const { return started.load(acquire); }
  bool under_way() const { return runs.load(acquire) != 0; }

  void start(std::uint32_t i) {
    checked::writes(&each[i]);
    started.fetch_add(1, release);
  }

  mutable std::optional<worker> each[execution::threads_max];
  checked::atomic<std::uint32_t> started{0};
  checked::atomic<std::uint64_t> runs{0};
};

// The last thread works, as worker 0. The others sleep until there is something for them.
template <class Client, int sleepers>
struct watches : client<Client, 1 + sleepers> {
  static constexpr std::uint64_t after_ns = 2;
  home here;
  leat::handshake::watch<for_watches, home> watch{here, after_ns, interrupted};
  checked::atomic<std::uint32_t> answers[sleepers];

  static constexpr unsigned number(unsigned i) { return (i + 1) % (1 + sleepers); }
  worker& of(unsigned i) { return *here.each[number(i)]; }
  void make() {
    for (unsigned w = 0; w <= sleepers; ++w) here.each[w].emplace(w);
  }
  void start(unsigned workers) {
    for (unsigned w = 0; w < workers; ++w) here.start(w);
  }
  void sleep(unsigned i) {
    watch.sleep(of(i), [this, i] { return answers[i].load(relaxed) != 0; }, 0);
  }
  void answer(unsigned i) {
    answers[i].store(1, relaxed);
    of(i).notify();
  }
};

// INTERRUPT-6: a run is under way, and one of the sleepers is answered: if it keeps watch, the other one is to do so.
struct leaves : watches<leaves, 2> {
  void before() {
    make(), start(3);
    here.runs.store(1, release);
  }
  void thread(unsigned i) {
    if (i != 2) return sleep(i);
    answer(0);
    of(2).be_deep();
    answer(1);
  }
};

// INTERRUPT-6: the keeper leaves, as it is answered, and another one has made all its own looks. It is to keep watch
// from then on, and interrupt a third worker, for which it waits.
struct hands_over : watches<hands_over, 1> {
  worker& deep() { return *here.each[2]; }
  void before() {
    make();
    here.each[2].emplace(2);
    start(3);
    here.runs.store(1, release);
    deep().begin_task();
  }
  void thread(unsigned i) {
    if (i == 0) {
      watch.sleep(of(i), [looks = 0]() mutable { return looks++ != 0; }, 0);
    } else {
      watch.sleep(of(i), [this] { return !deep().monitor.owes_a_poll(); }, 0);
    }
  }
};

// INTERRUPT-6: a run begins while those without work doze, and the worker that executes it is deep in a task at once.
template <int sleepers>
struct begins : watches<begins<sleepers>, sleepers> {
  void before() { this->make(), this->start(1 + sleepers); }
  void thread(unsigned i) {
    if (i != sleepers) return this->sleep(i);
    this->here.runs.fetch_add(1, release);
    this->watch.begin();
    this->of(i).be_deep();
    for (unsigned s = 0; s < sleepers; ++s) this->answer(s);
  }
};

// The sleeper is a spare, which is made meanwhile and not yet among those that are started. A thread that comes upon it as the
// keeper reads what its maker has written.
struct begins_beside_a_spare : watches<begins_beside_a_spare, 1> {
  void before() { make(), start(1); }
  void thread(unsigned i) {
    if (i == 0) {
      checked::writes(&here.each[number(0)]);
      return sleep(0);
    }
    here.runs.fetch_add(1, release);
    watch.begin();
    answer(0);
  }
};

TEST(watch, is_kept_when_the_keeper_leaves) {
  expect_right<hands_over, preemptions<2>>();
  expect_right<leaves, drawn<10'000>>();
}

TEST(watch, is_kept_when_a_run_begins) {
  expect_right<begins<1>, drawn<10'000>>();
  expect_right<begins<2>, drawn<10'000>>();
  expect_right<begins_beside_a_spare, preemptions<2>>();
}

TEST(watch, is_kept_long) {
  expect_right<hands_over, preemptions<4>>();
  expect_right<leaves, drawn<1'000'000>>();
  expect_right<begins<1>, preemptions<3>>();
  expect_right<begins<2>, drawn<1'000'000>>();
}

}  // namespace
