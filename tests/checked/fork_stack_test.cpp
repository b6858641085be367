// Forks between their owner and a thief: rules FORK-1 to FORK-5 of deque/fork_stack.hpp, and the words that a fork and
// a join move.
#include "leat/deque/fork_stack.hpp"

#include <cstdint>

#include "client.hpp"
#include "leat/task/fork_join.hpp"

namespace {

using namespace leat::platform;
using namespace leat_test;
using stack = leat::deque::fork_stack<checked>;
using slot = leat::deque::fork_slot<checked>;

constexpr auto any = [] { return true; };

void callable(slot&, slot*) {}

// What is forked is written into the slot; who executes it leaves the result there.
void write(slot* s) { checked::writes(&s->payload); }
void execute(slot* s) {
  checked::reads(&s->payload);
  checked::writes(&s->payload);
  s->state.store(slot::outcome::done, release);  // FORK-4
}
void take(slot* s) {
  while (s->state.load(acquire) == slot::outcome::none) checked::yield();
  checked::reads(&s->payload);
  s->state.store(slot::outcome::none, relaxed);
}

// Forks in one form of task/fork_form.hpp. All of them are public, or some.
// An owner of some leaves the public part open, or closes it.
template <class Client, bool all_public, int thieves, bool leaves_open = all_public>
struct forks : client<Client, 1 + thieves> {
  stack s{nullptr, all_public};
  slot* const base = s.base();

  Client& self() { return static_cast<Client&>(*this); }

  // One that leaves it open makes each fork public by itself: what a thief sees of the later ones comes by the end alone.
  static constexpr bool one_by_one = leaves_open && !all_public;
  static constexpr int steals = one_by_one ? 2 : 1;

  // The owner forks twice, and gives up one after the other.
  void thread(unsigned i) {
    if (i != 0) {
      for (int k = 0; k < steals; ++k) self().steal();
      return;
    }
    if (one_by_one) return fork_one_by_one();
    if (all_public) s.open(0);  // into a task
    self().fork(base);
    if (!all_public) s.open(1);
    self().fork(base + 1);
    join(base + 1);
    self().fork(base + 1);
    join(base + 1);
    join(base);
  }
  void fork_one_by_one() {
    constexpr int all = 3;
    for (int k = 0; k < all; ++k) {
      self().fork(base + k);
      s.open(1);
    }
    for (int k = all; k > 0; --k) join(base + k - 1);
  }
  void join(slot* f) {
    self().give_up(f);
    if (leaves_open ? s.pop_public(f) : !s.given_away(f)) return;
    if (!leaves_open) s.close();  // into the runtime
    if (!s.given_away(f)) return;
    take(f);
    s.joined(f);
    if (all_public) s.open(0);
  }
};

template <bool all_public, int thieves, bool leaves_open = all_public>
struct plain_forks : forks<plain_forks<all_public, thieves, leaves_open>, all_public, thieves, leaves_open> {
  using form = leat::task::plain_form<checked>;
  slot*& top = this->memory.template own<form::words>(0).top;

  void before() { checked::put(top, this->base); }
  void fork(slot* f) {
    write(f);
    form::forked(f);
  }
  void give_up(slot* f) { form::give_up(f); }
  void steal() {
    if (slot* f = this->s.take_plain(top, any)) execute(f);
  }
};

template <bool all_public, int thieves, bool leaves_open = all_public>
struct marked_forks : forks<marked_forks<all_public, thieves, leaves_open>, all_public, thieves, leaves_open> {
  void fork(slot* f) {
    write(f);
    checked::publish(f->call, callable);
  }
  void give_up(slot* f) { leat::task::context_form<checked>::give_up(f); }
  void steal() {
    slot::call_type call = nullptr;
    slot* f = this->s.take_marked(call, any);
    if (f == nullptr) return;
    must(call == callable, "what the slot calls");
    execute(f);
  }
};

TEST(fork_stack, gives_plain_forks_once) {
  expect_right<plain_forks<true, 1>, preemptions<4>>();
  expect_right<plain_forks<false, 1>, preemptions<4>>();
  expect_right<plain_forks<false, 1, true>, preemptions<3>>();
  expect_right<plain_forks<true, 2>, preemptions<2>>();
  expect_right<plain_forks<false, 2>, preemptions<2>>();
}

TEST(fork_stack, gives_marked_forks_once) {
  expect_right<marked_forks<true, 1>, preemptions<4>>();
  expect_right<marked_forks<false, 1>, preemptions<4>>();
  expect_right<marked_forks<false, 1, true>, preemptions<3>>();
  expect_right<marked_forks<true, 2>, preemptions<2>>();
  expect_right<marked_forks<false, 2>, preemptions<2>>();
}

TEST(fork_stack, gives_forks_once_long) {
  expect_right<plain_forks<true, 1>, preemptions<6>>();
  expect_right<plain_forks<true, 2>, preemptions<3>>();
  expect_right<plain_forks<false, 2>, preemptions<3>>();
  expect_right<plain_forks<false, 1, true>, preemptions<4>>();
  expect_right<marked_forks<true, 1>, preemptions<6>>();
  expect_right<marked_forks<true, 2>, preemptions<3>>();
  expect_right<marked_forks<false, 2>, preemptions<3>>();
  expect_right<marked_forks<false, 1, true>, preemptions<4>>();
}

}  // namespace
