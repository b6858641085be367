// Parts of a worker, each by itself: around them stands a worker that has only what they ask of it.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "leat/platform/native.hpp"
#include "leat/scheduler/monitor_steps.hpp"
#include "leat/scheduler/worker.hpp"

namespace {

/// The native platform, for workers of their own.
struct for_parts : leat::platform::native {};

struct pool_stub {
  bool has_requests = false;
};

struct manager_stub {
  pool_stub read_pool() const { return pool; }
  pool_stub pool;
};

struct scheduler_stub {
  manager_stub& manager() { return managed; }
  manager_stub managed;
};

}  // namespace

namespace leat::inline LEAT_ABI::scheduler {

template <>
class worker<for_parts> {
 public:
  struct responder_stub {
    bool closed() const { return is_closed; }
    bool keeps_requests() const { return keeps; }
    void end_leapfrogging_of(const void* target) { ended.push_back(target); }
    bool is_closed = false;
    bool keeps = false;
    std::vector<const void*> ended;
  };

  worker() : stack_(this, 4, false), monitor(*this) {
    words.top = stack_.tls_forks.base();
    stack_.attach(words);
  }

  work::task_stack<for_parts>& stack() { return stack_; }
  const work::task_stack<for_parts>& stack() const { return stack_; }

  deque::fork_words<for_parts> words{};
  work::task_stack<for_parts> stack_;
  scheduler_stub home;
  scheduler::ancestry<for_parts> ancestry;
  scheduler::monitor<for_parts> monitor;
  handshake::presence<for_parts> presence;
  responder_stub responder;
  events::worker_counts<for_parts> counts;
};

}  // namespace leat::inline LEAT_ABI::scheduler

namespace {

using namespace leat::scheduler;
namespace waiting = leat::waiting;
namespace work = leat::work;
using worker_of_parts = leat::scheduler::worker<for_parts>;
using scope = ancestor_scope<for_parts>;
using fork_slot = leat::deque::fork_slot<for_parts>;

void does_nothing(work::record&) {}
void forked(fork_slot&, fork_slot*) {}

void push(worker_of_parts& w) {
  w.stack().tasks.room()->invoke = does_nothing;
  w.stack().tasks.push();
}

// -- the task stack ---------------------------------------------------------------------------------------------------

// Leaves a fork in TLS form, as fork_join does.
fork_slot* fork_in_tls_form(worker_of_parts& w) {
  fork_slot* const s = w.stack().top();
  s->call = forked;
  w.stack().set_top(s + 1);
  return s;
}

fork_slot* fork_in_context_form(worker_of_parts& w) {
  fork_slot* const s = w.stack().context_top();
  s->call = forked;
  return s;
}

TEST(task_stack, has_work_if_it_has_a_task_or_a_fork_of_either_form) {
  worker_of_parts a, b, c;
  EXPECT_FALSE(a.stack().has_work());
  push(a);
  fork_in_tls_form(b);
  fork_in_context_form(c);
  EXPECT_TRUE(a.stack().has_work());
  EXPECT_TRUE(b.stack().has_work());
  EXPECT_TRUE(c.stack().has_work());
}

TEST(task_stack, gives_its_oldest_fork_those_in_tls_form_first) {
  worker_of_parts w;
  fork_slot* const context = fork_in_context_form(w);
  fork_slot* const first = fork_in_tls_form(w);
  fork_slot* const second = fork_in_tls_form(w);
  for (fork_slot* expected : {first, second, context}) {
    fork_slot* const oldest = w.stack().oldest_fork();
    ASSERT_EQ(oldest, expected);
    w.stack().give_fork(oldest, 7);
    EXPECT_EQ(expected->thief.load(leat::platform::relaxed), 7u);
  }
  EXPECT_EQ(w.stack().oldest_fork(), nullptr);
  EXPECT_EQ(w.stack().pending_tls_forks(), 0u);
}

TEST(task_stack, tells_the_oldest_fork_above_two_slots) {
  worker_of_parts w;
  fork_slot* const below = fork_in_tls_form(w);
  EXPECT_EQ(w.stack().oldest_fork_above(below, w.stack().context_top()), below);
  EXPECT_EQ(w.stack().oldest_fork_above(below + 1, w.stack().context_top()), nullptr);
  fork_slot* const context = fork_in_context_form(w);
  EXPECT_EQ(w.stack().oldest_fork_above(below + 1, context), context);
  EXPECT_EQ(w.stack().oldest_fork_above(below + 1, context + 1), nullptr);
}

TEST(task_stack, keeps_its_forks_while_its_thread_has_none) {
  worker_of_parts w;
  fork_slot* const s = fork_in_tls_form(w);
  w.stack().leave_thread();
  EXPECT_EQ(w.words.top, nullptr);
  EXPECT_FALSE(w.stack().is_attached_to(w.words));
  EXPECT_EQ(w.stack().oldest_fork(), s);
  w.stack().return_to(w.words);
  EXPECT_EQ(w.words.top, s + 1);
  EXPECT_TRUE(w.stack().is_attached_to(w.words));
}

TEST(task_stack, makes_room_for_any_answer) {
  worker_of_parts w;
  push(w);
  EXPECT_LT(w.stack().tasks.free_slots(), leat::protocol::batch_max);
  EXPECT_TRUE(w.stack().make_room());
  EXPECT_GE(w.stack().tasks.free_slots(), leat::protocol::batch_max);
  EXPECT_EQ(w.stack().tasks.size(), 1u);
}

// -- ancestry ---------------------------------------------------------------------------------------------------------

TEST(ancestry, finds_the_innermost_scope_with_a_join_target) {
  worker_of_parts w;
  int target = 0, other = 0;
  EXPECT_EQ(w.ancestry.find(&target), nullptr);
  scope outer(w, &target);
  {
    scope middle(w, &other);
    scope inner(w, &target);
    EXPECT_EQ(w.ancestry.find(&target), &inner);
    EXPECT_EQ(w.ancestry.find(&other), &middle);
    EXPECT_LT(outer.number_, inner.number_);
    EXPECT_EQ(w.ancestry.scopes_begun(), inner.number_);
  }
  EXPECT_EQ(w.ancestry.find(&target), &outer);
  EXPECT_EQ(w.ancestry.find(&other), nullptr);
}

TEST(ancestry, notes_where_a_scope_began) {
  worker_of_parts w;
  int target = 0;
  push(w);
  fork_slot* const context = fork_in_context_form(w);
  fork_slot* const tls = fork_in_tls_form(w);
  {
    scope s(w, &target);
    EXPECT_EQ(s.tasks_end, w.stack().tasks.end_index());
    EXPECT_EQ(s.tls_top, tls + 1);
    EXPECT_EQ(s.context_top, context + 1);
    EXPECT_EQ(w.stack().context_floor(), context + 1) << "what it executes takes slots above";
  }
  EXPECT_EQ(w.stack().context_floor(), w.stack().context_forks.base());
}

TEST(ancestry, ends_the_leapfrogging_of_a_target_that_is_done_if_requests_are_kept) {
  worker_of_parts w;
  int first = 0, second = 0;
  {
    scope s(w, &first);
  }
  EXPECT_TRUE(w.responder.ended.empty());
  w.responder.keeps = true;
  {
    scope s(w, &second);
  }
  EXPECT_EQ(w.responder.ended, std::vector<const void*>{&second});
}

TEST(ancestry, lets_no_wait_and_no_scope_have_what_came_for_others) {
  worker_of_parts w;
  int target = 0;
  waiting::own_wait outer{&target, 3, nullptr, w.ancestry.wait_number_next()};
  w.ancestry.enter(outer);
  scope s(w, &target);
  waiting::own_wait inner{&target, 5, &outer, w.ancestry.wait_number_next()};
  w.ancestry.enter(inner);
  EXPECT_EQ(w.ancestry.waits(), 2u);
  w.ancestry.strangers_came(9);
  EXPECT_EQ(outer.tasks_end, 9u);
  EXPECT_EQ(inner.tasks_end, 9u);
  EXPECT_EQ(s.tasks_end, 9u);
  w.ancestry.sink_to(6);
  EXPECT_EQ(outer.tasks_end, 6u);
  EXPECT_EQ(inner.others_end, 6u);
  EXPECT_EQ(s.tasks_end, 6u);
  w.ancestry.sink_to(8);
  EXPECT_EQ(inner.tasks_end, 6u) << "marks only sink";
  w.ancestry.leave(inner);
  EXPECT_EQ(w.ancestry.wait(), &outer);
  w.ancestry.leave(outer);
  EXPECT_EQ(w.ancestry.waits(), 0u);
}

// -- the monitor ------------------------------------------------------------------------------------------------------

constexpr std::uint64_t us = 1000;
constexpr std::uint64_t after_ns = 50 * us;

TEST(monitor, owes_a_poll_in_a_task_if_it_was_signalled_or_others_wait) {
  worker_of_parts w;
  w.stack().tasks.signal();
  EXPECT_FALSE(w.monitor.owes_a_poll()) << "inside the runtime it polls by itself";
  w.monitor.set_where(whereabouts::task);
  EXPECT_TRUE(w.monitor.owes_a_poll());
  w.responder.is_closed = true;
  EXPECT_FALSE(w.monitor.owes_a_poll()) << "it has nothing to give";
  w.responder.is_closed = false;
  w.stack().tasks.acknowledge();
  EXPECT_FALSE(w.monitor.owes_a_poll());
  w.home.managed.pool.has_requests = true;
  EXPECT_TRUE(w.monitor.owes_a_poll());
  w.home.managed.pool.has_requests = false;
  w.monitor.poll_ends(true, false);
  EXPECT_TRUE(w.monitor.owes_a_poll());
  w.monitor.owes_nothing();
  EXPECT_FALSE(w.monitor.owes_a_poll());
}

TEST(monitor, is_overdue_once_if_it_has_not_polled_for_so_long_since_it_was_first_looked_at) {
  worker_of_parts w;
  w.stack().tasks.signal();
  EXPECT_FALSE(w.monitor.overdue(0, after_ns)) << "the first look only notes the time";
  EXPECT_FALSE(w.monitor.overdue(after_ns - us, after_ns));
  EXPECT_TRUE(w.monitor.overdue(after_ns, after_ns));
  EXPECT_FALSE(w.monitor.overdue(after_ns, after_ns)) << "one watchdog interrupts it";
  w.monitor.polled();
  EXPECT_FALSE(w.monitor.overdue(3 * after_ns, after_ns)) << "it has polled, so time begins anew";
  EXPECT_TRUE(w.monitor.overdue(4 * after_ns, after_ns));
}

// -- counts -----------------------------------------------------------------------------------------------------------

TEST(worker_counts, of_the_interrupt_handler_are_kept_apart_and_added_up) {
  leat::events::worker_counts<for_parts> c;
  c.add(leat::event::tasks, 3);
  c.begin_handler();
  c.add_in_poll(leat::event::tasks, 2);
  c.take_one(leat::event::tasks);
  c.end_handler();
  EXPECT_EQ(c.of_tasks(), 3u) << "the handler may have interrupted the counting of the same event";
  EXPECT_EQ(c.read()[leat::event::tasks], 4u);
  c.at_least(leat::event::waits_nested_max, 5);
  c.at_least(leat::event::waits_nested_max, 4);
  EXPECT_EQ(c.read()[leat::event::waits_nested_max], 5u);
}

}  // namespace
