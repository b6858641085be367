// The deques and the parker, with an owner and one or two thieves, in every schedule with at most three preemptions, and with a
// signal at every step of the owner: each task is had once, by one, whole; and no signal is forgotten.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "every_schedule.hpp"
#include "leat/deque/fork_stack.hpp"
#include "leat/deque/private.hpp"
#include "leat/handshake/parker.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::deque::fork_stack;
using leat::deque::private_deque;
using leat::platform::acquire;
using leat::platform::release;
using leat::platform::simulated;
using leat_test::expect_here;
using leat_test::in_every_schedule;
using word = simulated::atomic<std::uint32_t>;
using deque = private_deque<simulated, std::uint64_t>;

// Tasks 1 to 7, each to be had once.
struct shares {
  std::array<std::uint32_t, 8> had{};
  void have(std::uint64_t task) {
    expect_here(task < had.size() && had[task] == 0, "a task is had twice, or is none");
    ++had[task];
  }
  void expect_all(std::uint64_t last) const {
    for (std::uint64_t i = 1; i <= last; ++i) expect_here(had[i] == 1, "a task is lost");
  }
};

void push(deque& tasks, std::uint64_t task) {
  std::uint64_t* const room = tasks.room();
  expect_here(room != nullptr || tasks.grow(), "no room");
  *tasks.free_slot() = task;
  tasks.push();
}

// -- lending: a thief asks, the owner polls at its next push or pop

struct lending {
  explicit lending(std::size_t capacity) : tasks(capacity) {}
  deque tasks;
  word asked{0};
  word answered{0};
  deque::run lent;
  shares all;
  bool in_handler = false;

  void poll() {
    tasks.acknowledge();
    if (asked.load(acquire) == 1 && !tasks.empty()) {
      asked.store(2, leat::platform::relaxed);
      lent = tasks.lend((tasks.size() + 1) / 2);
      answered.store(1, release);
    }
    tasks.rearm(false);
  }

  void steal() {
    asked.store(1, release);
    tasks.signal();
  }

  // Has what was lent, if anything was.
  void copy() {
    if (answered.load(acquire) == 0) return;
    for (std::size_t i = 0; i < lent.count; ++i) {
      const std::uint64_t task = lent.first[i];
      simulated::relax();  // the owner goes on meanwhile (DEQUE-3)
      expect_here(lent.first[i] == task, "a slot is written while it is lent");
      all.have(task);
    }
    answered.store(0, release);
    tasks.give_back();
  }

  void pop() {
    const bool had_asked = asked.load(acquire) == 1 && raised;
    std::uint64_t* task = tasks.pop();
    expect_here(task == nullptr || !had_asked, "a signal is forgotten");
    if (task == nullptr) {
      if (tasks.is_poll_due()) poll();
      task = tasks.pop_without_poll();
    }
    if (task != nullptr) all.have(*task);
  }

  bool raised = false;  // steal() has returned
};

TEST(every_schedule, private_deque_lends) {
  for (const std::size_t capacity : {1u, 2u, 8u}) {
    in_every_schedule([capacity] {
      lending l(capacity);
      push(l.tasks, 1);
      simulated::thread thief([&] {
        l.steal();
        l.raised = true;
        simulated::relax();
        l.copy();
      });
      push(l.tasks, 2);
      l.poll();  // also unasked, so that who asks may come into it
      push(l.tasks, 3);
      if (l.tasks.is_poll_due()) l.poll();
      l.pop();
      push(l.tasks, 4);
      if (l.tasks.is_poll_due()) l.poll();
      l.pop();
      l.pop();
      thief.join();
      l.copy();
      l.raised = false;
      for (int i = 0; i < 5; ++i) l.pop();
      l.copy();
      l.all.expect_all(4);
    });
  }
}

// DEQUE-4: the owner's own handler polls, between any two steps of a push or a pop.
lending* interrupted_deque = nullptr;

TEST(every_schedule, private_deque_is_interrupted) {
  in_every_schedule([] {
    lending l(8);
    interrupted_deque = &l;
    const auto handler = [] { interrupted_deque->poll(); };
    simulated::claim_interrupts(handler);
    word ready{0};
    simulated::thread owner([&] {
      simulated::allow_interrupts();
      ready.store(1, release);
      const auto add = [&](std::uint64_t task) {
        *l.tasks.free_slot() = task;
        l.tasks.push();
      };
      const auto pop = [&] {
        if (const std::uint64_t* task = l.tasks.pop()) l.all.have(*task);
      };
      add(1);
      pop();
      add(2);
      add(3);
      pop();
      pop();
      add(4);
      pop();
    });
    l.asked.store(1, release);
    while (ready.load(acquire) == 0) simulated::yield();
    owner.interrupt();
    owner.join();
    l.copy();
    l.tasks.acknowledge();
    while (const std::uint64_t* task = l.tasks.pop_without_poll()) l.all.have(*task);
    l.all.expect_all(4);
    simulated::release_interrupts(handler);
  });
}

// -- the public part

std::uint64_t stolen(deque& tasks) {
  const auto run = tasks.steal([] { return true; });
  if (run.count == 0) return 0;
  const std::uint64_t task = *run.first;
  simulated::relax();  // the owner goes on meanwhile (PUBLIC-4)
  expect_here(*run.first == task, "a slot is written while it is read");
  tasks.give_back();
  return task;
}

// All is public, as with Chase and Lev: the owner takes its newest task back without closing (PUBLIC-3).
TEST(every_schedule, private_deque_all_public) {
  for (const int thieves : {1, 2}) {
    in_every_schedule([thieves] {
      deque tasks(2, true);
      shares all;
      tasks.open(0);
      const auto publish = [&](std::uint64_t task) {
        if (tasks.full()) {
          tasks.close();
          push(tasks, task);
          tasks.open(0);
          return;
        }
        push(tasks, task);
        tasks.publish();
      };
      const auto steal = [&] {
        for (int i = 0; i < 2; ++i) {
          if (const std::uint64_t task = stolen(tasks)) all.have(task);
        }
      };
      publish(1);
      publish(2);
      std::array<simulated::thread, 2> threads;
      for (int i = 0; i < thieves; ++i) threads[static_cast<std::size_t>(i)] = simulated::thread(steal);
      const auto pop = [&] {
        const std::uint64_t* task = tasks.newest() == nullptr ? nullptr : tasks.pop_public();
        if (task == nullptr) {
          tasks.close();
          task = tasks.pop_without_poll();
          if (task != nullptr) all.have(*task);
          tasks.rewind();
          tasks.open(0);
        } else {
          all.have(*task);
        }
      };
      pop();
      publish(3);
      pop();
      pop();
      for (int i = 0; i < thieves; ++i) threads[static_cast<std::size_t>(i)].join();
      tasks.close();
      while (const std::uint64_t* task = tasks.pop_without_poll()) all.have(*task);
      all.expect_all(3);
    });
  }
}

// Some are public, as in the split deques: the owner opens and closes, and pops what lies above without noticing.
TEST(every_schedule, private_deque_some_public) {
  in_every_schedule([] {
    deque tasks(8);
    shares all;
    for (std::uint64_t task = 1; task <= 3; ++task) push(tasks, task);
    const auto steal = [&] {
      for (int i = 0; i < 2; ++i) {
        if (const std::uint64_t task = stolen(tasks)) all.have(task);
      }
    };
    simulated::thread a(steal), b(steal);
    const auto pop = [&] {
      const std::uint64_t* task = tasks.pop();
      if (task == nullptr) {
        tasks.close();
        task = tasks.pop_without_poll();
      }
      if (task != nullptr) all.have(*task);
    };
    tasks.open(2);
    pop();
    pop();
    push(tasks, 4);
    tasks.close();
    tasks.open(tasks.size());
    pop();
    a.join();
    b.join();
    tasks.close();
    while (const std::uint64_t* task = tasks.pop_without_poll()) all.have(*task);
    all.expect_all(4);
  });
}

// -- the fork stack

using forks = fork_stack<simulated>;

struct words_of_owner {
  forks::slot* top;
  forks::limit_word limit;
};

// A fork is a slot; its number is in the payload.
void put(words_of_owner& words, std::uint64_t number) {
  forks::slot* const s = words.top;
  std::memcpy(s->payload, &number, sizeof number);
  simulated::publish(s->call, [](forks::slot&, forks::slot*) {});
  simulated::signal_fence();
  simulated::publish(words.top, s + 1);
}

std::uint64_t number_of(const forks::slot* s) {
  std::uint64_t number = 0;
  std::memcpy(&number, s->payload, sizeof number);
  return number;
}

// FORK-5: joins beside thieves. A slot that was taken is joined when its thief has done with it.
void expect_shared(bool all_public) {
  in_every_schedule([all_public] {
    forks stack(nullptr, all_public);
    words_of_owner words{stack.base(), {}};
    stack.move_limit(words.limit);
    shares all;
    put(words, 1);
    put(words, 2);
    stack.open(all_public ? 0 : 2);
    const auto steal = [&] {
      forks::slot* const s = stack.take_plain(words.top, [] { return true; });
      if (s == nullptr) return;
      all.have(number_of(s));
      s->state.store(forks::slot::outcome::done, release);
    };
    simulated::thread a(steal), b(steal);
    const auto join = [&] {
      forks::slot* const s = words.top - 1;
      if (forks::word(s) < simulated::republish_and_poll(words.top, s, words.limit)) {
        if (all_public && stack.keeps(s)) return all.have(number_of(s));
        simulated::put(words.top, s + 1);
        stack.close();
        simulated::put(words.top, s);
        if (stack.given_away(s)) {
          while (s->state.load(acquire) != forks::slot::outcome::done) simulated::yield();
          s->state.store(forks::slot::outcome::none, leat::platform::relaxed);
          stack.joined(s);
        } else {
          all.have(number_of(s));
        }
        if (all_public) stack.open(0);
      } else {
        all.have(number_of(s));
      }
    };
    join();
    put(words, 3);
    join();
    join();
    a.join();
    b.join();
    all.expect_all(3);
  });
}

TEST(every_schedule, fork_stack_all_public) { expect_shared(true); }
TEST(every_schedule, fork_stack_some_public) { expect_shared(false); }

// FORK-3: the owner's own handler gives the oldest fork away, between any two steps of a fork or a join.
struct interrupted_forks {
  forks* stack;
  words_of_owner* words;
  shares* all;
} interrupted_stack;

TEST(every_schedule, fork_stack_is_interrupted) {
  in_every_schedule([] {
    forks stack(nullptr);
    words_of_owner words{stack.base(), {}};
    stack.move_limit(words.limit);
    shares all;
    interrupted_stack = {&stack, &words, &all};
    const auto handler = [] {
      auto& [s, w, had] = interrupted_stack;
      s->acknowledge();
      if (s->bottom() < w->top) had->have(number_of(s->give(1)));
      s->rearm(false);
    };
    simulated::claim_interrupts(handler);
    word ready{0};
    simulated::thread owner([&] {
      simulated::allow_interrupts();
      ready.store(1, release);
      const auto join = [&] {
        forks::slot* const s = words.top - 1;
        if (forks::word(s) >= simulated::republish_and_poll(words.top, s, words.limit)) return all.have(number_of(s));
        expect_here(stack.given_away(s), "a join finds its slot given away, or its own");
        stack.joined(s);
      };
      put(words, 1);
      put(words, 2);
      join();
      put(words, 3);
      join();
      join();
    });
    while (ready.load(acquire) == 0) simulated::yield();
    owner.interrupt();
    owner.join();
    all.expect_all(3);
    simulated::release_interrupts(handler);
  });
}

// -- the parker: who is notified wakes up (PARKER-1, PARKER-2)

TEST(every_schedule, parker) {
  for (const int notifiers : {1, 2}) {
    in_every_schedule([notifiers] {
      leat::handshake::parker<simulated> place;
      word news{0};
      const auto notify = [&] {
        news.fetch_add(1, release);
        place.notify();
      };
      std::array<simulated::thread, 2> threads;
      for (int i = 0; i < notifiers; ++i) threads[static_cast<std::size_t>(i)] = simulated::thread(notify);
      for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(notifiers); ++i)
        place.wait([&] { return news.load(acquire) >= i; }, 0);
      for (int i = 0; i < notifiers; ++i) threads[static_cast<std::size_t>(i)].join();
    });
  }
}

}  // namespace
