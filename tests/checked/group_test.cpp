// How a group of tasks is counted: rules GROUP-1 to GROUP-6 of handshake/group_count.hpp, with workers that give a task away
// where they are told to.
#include <cstdint>
#include <optional>
#include <utility>

#include "client.hpp"
#include "leat/scheduler/group_steps.hpp"
#include "leat/work/owned_tasks.hpp"

namespace {

/// The checked platform, for workers of their own.
struct for_groups : leat::platform::checked {};

struct scheduler_stub {
  std::uint32_t workers_started() const { return leat::platform::execution::threads_max; }
  auto& cancels() { return cancels_; }

 private:
  leat::platform::checked::atomic<std::uint64_t> cancels_{0};
};

}  // namespace

namespace leat::inline LEAT_ABI::scheduler {

// What a worker executes: its own thread's words.
template <>
class runner<for_groups> {
 public:
  using account = group<for_groups>::account;

  explicit runner(work::task_deque<for_groups>& tasks) : tasks_(tasks) {}

  const work::run<for_groups>* current_run() const { return nullptr; }
  ground on() const { return ground_; }
  void set_ground(ground g) { ground_ = g; }
  ground exchange_ground(ground g) { return std::exchange(ground_, g); }
  pins& pinned() { return pins_; }
  const group<for_groups>* current_group() const { return in_group_; }
  const group<for_groups>* exchange_group(const group<for_groups>* g) { return std::exchange(in_group_, g); }
  account* innermost_account() const { return account_; }
  void set_account(account* a) { account_ = a; }

  template <class F>
  void spawn_owned(group<for_groups>& g, void (*call)(void*, bool), F f) {
    work::record* const slot = tasks_.room();
    for_groups::writes(slot);
    work::record::write_owned(slot, group<for_groups>::invoke, {&g, call}, std::move(f));
    tasks_.push();
  }
  template <class Wanted>
  work::record* next_if(Wanted wanted) {
    work::record* const newest = tasks_.newest();
    if (newest == nullptr || !wanted(*newest)) return nullptr;
    for_groups::reads(newest);
    return tasks_.pop_without_poll();
  }
  template <class Wanted>
  work::record* next_in_wait_if(Wanted) {
    return nullptr;
  }

 private:
  work::task_deque<for_groups>& tasks_;
  ground ground_ = ground::task;
  pins pins_;
  const group<for_groups>* in_group_ = nullptr;
  account* account_ = nullptr;
};

template <>
class ancestor_scope<for_groups> : public waiting::execution {
 public:
  ancestor_scope(worker<for_groups>&, const void* target) : waiting::execution{target, nullptr, 1} {}
  ancestor_scope* outer() const { return nullptr; }
  std::uint64_t tasks_end = 0;
};

template <>
class waiter<for_groups> {
 public:
  using search = work::owned_search<work::task_deque<for_groups>>;

  bool take_owned(const group<for_groups>* g, search& where, work::record& taken) {
    std::uint64_t popped = 0;
    return where.take([g](work::record& r) { return group<for_groups>::of(r) == g; }, taken, popped);
  }
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

  handshake::parker<for_groups> parker;
};

// Nobody asks it: it gives its oldest task away when it is told to, as responder::serve does, and receives one as requester::take
// does.
template <>
class worker<for_groups> {
 public:
  worker(scheduler_stub& of, protocol::worker_id id) : home(of), runner(tasks_), id_(id) {}

  static worker* current() { return static_cast<worker*>(for_groups::self()); }
  protocol::worker_id id() const { return id_; }
  bool notify() { return waiter.parker.notify(); }
  profile::activity shows(profile::activity a) { return a; }

  struct stack_stub {
    scheduler::waiter<for_groups>::search begin_search() { return {tasks, ++searches}; }
    work::task_deque<for_groups>& tasks;
    std::uint64_t& searches;
  };
  stack_stub stack() { return {tasks_, searches_}; }

  /// The tasks of others that it has.
  void keep(const work::record& task) {
    work::record* const slot = tasks_.room();
    for_groups::writes(slot);
    *slot = task;
    tasks_.push();
  }
  void drop_newest() { tasks_.pop_without_poll(); }

  void take_over() { runner.innermost_account()->take_over(); }

  /// Gives its oldest task to `thief`. `takes_over`: GROUP-6, as it should be.
  void give(worker& thief, bool takes_over = true) {
    if (takes_over && runner.innermost_account() != nullptr) take_over();
    lent_.store(tasks_.lend(1).first, platform::release);
    thief.notify();
  }
  /// Waits for such a task of `victim`. `tells`: GROUP-5, as it should be.
  work::record receive(worker& victim, bool tells = true) {
    work::record* slot = nullptr;
    waiter.parker.wait([&] { return (slot = victim.lent_.load(platform::acquire)) != nullptr; }, 0);
    for_groups::reads(slot);
    work::record task = *slot;
    if (tells) group<for_groups>::of(task)->moved(*this, victim.id_, 1);
    victim.tasks_.give_back();
    return task;
  }

 private:
  struct uncounted {
    void add(event, std::uint64_t = 1) {}
  };
  struct where_stub {
    whereabouts where() const { return now; }
    void set_where(whereabouts to) { now = to; }
    whereabouts now = whereabouts::task;
  };
  struct nothing_public {
    bool is_eager() const { return false; }
    void expose() {}
    void unexpose() {}
  };

  work::task_deque<for_groups> tasks_{4};
  std::uint64_t searches_ = 0;

 public:
  scheduler_stub& home;
  scheduler::runner<for_groups> runner;
  scheduler::ancestry<for_groups> ancestry;
  scheduler::waiter<for_groups> waiter;
  where_stub monitor;
  nothing_public exposer;
  uncounted counts;
  const void* const published = nullptr;

 private:
  const protocol::worker_id id_;
  platform::checked::atomic<work::record*> lent_{nullptr};
};

}  // namespace leat::inline LEAT_ABI::scheduler

namespace {

using namespace leat::platform;
using namespace leat_test;
using worker = leat::scheduler::worker<for_groups>;
using group = leat::scheduler::group<for_groups>;
using leat::work::record;

// Each thread is a worker. The first makes the group, and destroys it when it has waited for it: an access after that is an
// error. Each task has a number, and writes what the owner reads in the end.
template <class Client, int threads, int tasks>
struct counts : client<Client, threads> {
  scheduler_stub home;
  std::optional<worker> workers[threads];
  std::optional<group> g;
  int executed[tasks]{};

  Client& self() { return static_cast<Client&>(*this); }

  void before() {
    for (unsigned i = 0; i < threads; ++i) workers[i].emplace(home, i);
    for (int& by : executed) checked::writes(&by);
    g.emplace(*workers[0]);
  }
  void thread(unsigned i) {
    checked::self() = &*workers[i];
    self().act(i);
  }

  struct task {
    Client* of;
    int number;
  };
  static void call(void* callable, bool) {
    const task t = *static_cast<task*>(callable);
    checked::writes(&t.of->executed[t.number]);
    ++t.of->executed[t.number];
    t.of->goes_on(t.number);
  }
  void goes_on(int) {}
  void spawn(int number) { g->spawn(*worker::current(), call, task{&self(), number}); }
  static void execute(record&& received) { received.invoke(received); }
  bool is_done(int number) {
    checked::reads(&executed[number]);
    return executed[number] == 1;
  }
  void all_are_done() {
    for (int n = 0; n < tasks; ++n) must(is_done(n), "the task has been executed once");
  }
};

// GROUP-1 to GROUP-4: a thief executes the older of two tasks, and a third that the older one has made. The owner
// waits.
template <bool any>
struct is_waited_for : counts<is_waited_for<any>, 2, 3> {
  void act(unsigned i) {
    if (i == 1) return this->execute(this->workers[1]->receive(*this->workers[0]));
    this->spawn(0), this->spawn(1);
    this->workers[0]->give(*this->workers[1]);
    if (any) this->g->run_here();
    any ? this->g->wait_any(false) : this->g->wait(false);
    this->all_are_done();
    this->g.reset();
  }
  void goes_on(int number) {
    if (number == 0) this->spawn(2);
  }
};

// The same, and the group is used again: what was counted before the sum was zero is of the past (GROUP-5).
struct is_used_again : counts<is_used_again, 2, 3> {
  void act(unsigned i) {
    if (i == 1) return execute(workers[1]->receive(*workers[0]));
    spawn(0), spawn(1);
    workers[0]->give(*workers[1]);
    g->wait(false);
    g->reset();
    spawn(2);
    g->run_here();
    must(g->quiet(), "all tasks were the owner's own");
    all_are_done();
    g.reset();
  }
};

// GROUP-6: a worker that has got a task of the group spawns two, and gives one of them to a third worker before it ends. `again`: its
// account was taken over before, and so counts in a task ahead.
template <bool takes_over, bool again = false>
struct is_spread : counts<is_spread<takes_over, again>, 3, 3> {
  void act(unsigned i) {
    if (i != 0) return this->execute(this->workers[i]->receive(*this->workers[i - 1]));
    this->spawn(0);
    this->workers[0]->give(*this->workers[1]);
    this->g->wait(false);
    this->all_are_done();
    this->g.reset();
  }
  void goes_on(int number) {
    if (number != 0) return;
    this->spawn(1);
    if (again) this->workers[1]->take_over();
    this->spawn(2);
    this->workers[1]->give(*this->workers[2], takes_over);
  }
};

// GROUP-5: a task of the group comes back to the owner, and lies beneath a stranger's. The owner searches as long as
// there may be some.
template <bool counts_what_comes>
struct comes_back : counts<comes_back<counts_what_comes>, 2, 2> {
  void act(unsigned i) {
    worker& me = *this->workers[i];
    worker& other = *this->workers[1 - i];
    if (i == 1) {
      me.keep(me.receive(other));
      return me.give(other);
    }
    this->spawn(0), this->spawn(1);
    me.give(other);
    me.keep(me.receive(other, counts_what_comes));
    me.keep({.invoke = [](record&) { must(false, "it is a stranger's"); }, .payload = {}});
    this->g->run_here();
    must(this->is_done(0) && this->is_done(1), "what is the group's in the owner's deque is executed");
    me.drop_newest();
    must(this->g->quiet(), "all tasks are done");
    this->g.reset();
  }
};

TEST(group, is_waited_for) {
  expect_right<is_waited_for<false>, preemptions<3>>();
  expect_right<is_waited_for<true>, preemptions<3>>();
  expect_right<is_used_again, preemptions<3>>();
}

TEST(group, counts_what_others_spawn) {
  expect_right<is_spread<true>, drawn<20'000>>();
  expect_right<is_spread<true, true>, drawn<20'000>>();
  expect_found<is_spread<false>, drawn<20'000>>(rl::test_result_data_race);
}

TEST(group, counts_what_lies_with_its_owner) {
  expect_right<comes_back<true>, preemptions<3>>();
  expect_found<comes_back<false>, preemptions<1>>(rl::test_result_user_assert_failed);
}

TEST(group, is_waited_for_long) {
  expect_right<is_waited_for<false>, preemptions<5>>();
  expect_right<is_used_again, preemptions<5>>();
  expect_right<is_spread<true>, preemptions<2>>();
  expect_right<is_spread<true>, drawn<1'000'000>>();
  expect_right<is_spread<true, true>, drawn<1'000'000>>();
}

}  // namespace
