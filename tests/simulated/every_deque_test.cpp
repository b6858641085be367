// The private deque and the parker, with an owner and one or two thieves, in every schedule with at most three preemptions, and with a
// signal at every step of the owner: each task is had once, by one, whole; and no signal is forgotten.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "every_schedule.hpp"
#include "leat/deque/private.hpp"
#include "leat/handshake/parker.hpp"
#include "leat/platform/simulated.hpp"
#include "shares.hpp"

namespace {

using leat::deque::private_deque;
using leat::platform::acquire;
using leat::platform::release;
using leat::platform::simulated;
using leat_test::expect_here;
using leat_test::in_every_schedule;
using leat_test::shares;
using word = simulated::atomic<std::uint32_t>;
using deque = private_deque<simulated, std::uint64_t>;

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
        tasks.open(0);
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
        const std::uint64_t* task = tasks.newest_public() == nullptr ? nullptr : tasks.pop_public();
        if (task != nullptr) return all.have(*task);
        tasks.close();
        tasks.rewind();
        tasks.open(0);
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

// A split deque (LCWS): the owner makes more public while some are, and takes its newest public task back when no private
// one is left.
TEST(every_schedule, private_deque_split) {
  for (const int thieves : {1, 2}) {
    in_every_schedule([thieves] {
      deque tasks(4);
      shares all;
      for (std::uint64_t task = 1; task <= 3; ++task) push(tasks, task);
      const auto steal = [&] {
        for (int i = 0; i < 2; ++i) {
          if (const std::uint64_t task = stolen(tasks)) all.have(task);
        }
      };
      std::array<simulated::thread, 2> threads;
      for (int i = 0; i < thieves; ++i) threads[static_cast<std::size_t>(i)] = simulated::thread(steal);
      const auto pop = [&] {
        const std::uint64_t* task = tasks.pop();
        if (task == nullptr && tasks.newest_public() != nullptr) task = tasks.pop_public();
        if (task != nullptr) return all.have(*task);
        tasks.close();
        tasks.rewind();
      };
      tasks.open(1);
      pop();
      tasks.open(1);
      pop();
      push(tasks, 4);
      tasks.open(1);
      pop();
      pop();
      for (int i = 0; i < thieves; ++i) threads[static_cast<std::size_t>(i)].join();
      tasks.close();
      while (const std::uint64_t* task = tasks.pop_without_poll()) all.have(*task);
      all.expect_all(4);
    });
  }
}

// Some are public while tasks are long: the owner opens and closes, and pops what lies above without noticing.
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
