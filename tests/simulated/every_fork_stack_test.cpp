// The fork stack, with an owner and one or two thieves, in every schedule with at most three preemptions, and with a signal at
// every step of the owner: each fork is executed once, by one.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "every_schedule.hpp"
#include "leat/deque/fork_stack.hpp"
#include "leat/platform/simulated.hpp"
#include "shares.hpp"

namespace {

using leat::platform::acquire;
using leat::platform::release;
using leat::platform::simulated;
using leat_test::expect_here;
using leat_test::in_every_schedule;
using leat_test::shares;
using word = simulated::atomic<std::uint32_t>;
using forks = leat::deque::fork_stack<simulated>;

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

// FORK-5: joins beside thieves. A slot that was taken is joined when its thief has done with it. An owner that leaves the
// public part open takes its newest slot back from it; one that closes it has all slots that are left.
enum class shared { all, split, closed };

void expect_shared(shared what) {
  in_every_schedule([what] {
    const bool all_public = what == shared::all;
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
        if (what == shared::closed) {
          simulated::put(words.top, s + 1);
          stack.close();
          simulated::put(words.top, s);
        }
        if (what == shared::closed ? stack.given_away(s) : !stack.pop_public(s)) {
          simulated::put(words.top, s + 1);  // as during a wait
          while (s->state.load(acquire) != forks::slot::outcome::done) simulated::yield();
          s->state.store(forks::slot::outcome::none, leat::platform::relaxed);
          stack.joined(s);
          simulated::put(words.top, s);
          if (all_public) stack.open(0);
        } else {
          all.have(number_of(s));
        }
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

TEST(every_schedule, fork_stack_all_public) { expect_shared(shared::all); }
TEST(every_schedule, fork_stack_split) { expect_shared(shared::split); }
TEST(every_schedule, fork_stack_some_public) { expect_shared(shared::closed); }

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

}  // namespace
