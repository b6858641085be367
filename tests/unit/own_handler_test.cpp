// Programs that have a handler of their own for the signal that interrupts workers: docs/internals/interrupts.md.
#include <gtest/gtest.h>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

std::atomic<int> seen{0};  // from outside
std::atomic<int> seen_of_ours{0};
std::atomic<bool> spoils_errno{true};  // which ours mends

void count(int, siginfo_t* info, void*) {
  if (info->si_code == SI_TKILL) {
    ++seen_of_ours;
    return;
  }
  ++seen;
  if (spoils_errno) errno = EBADF;
}

void count_plainly(int) {
  ++seen;
  if (spoils_errno) errno = EBADF;
}

struct sigaction present() {
  struct sigaction now = {};
  EXPECT_EQ(sigaction(SIGURG, nullptr, &now), 0);
  return now;
}

/// While it lives, the program has a handler of its own.
class own_handler {
 public:
  explicit own_handler(bool with_info = true) {
    seen = seen_of_ours = 0;
    struct sigaction action = {};
    if (with_info) {
      action.sa_sigaction = count;
      action.sa_flags = SA_SIGINFO | SA_RESTART;
    } else {
      action.sa_handler = count_plainly;
      action.sa_flags = SA_RESTART;
    }
    EXPECT_EQ(sigaction(SIGURG, &action, &before_), 0);
  }
  own_handler(const own_handler&) = delete;
  own_handler& operator=(const own_handler&) = delete;
  ~own_handler() { EXPECT_EQ(sigaction(SIGURG, &before_, nullptr), 0); }

 private:
  struct sigaction before_ = {};
};

leat::options two_workers() {
  leat::options o;
  o.workers = 2;
  o.interrupt_after_us = 50;
  return o;
}

/// Lets the other worker ask for tasks while this one computes, until ready(), for ten seconds at most.
template <class Ready>
bool owes_an_answer(leat::runtime& rt, Ready ready) {
  return rt.run([&] {
    std::atomic<bool> busy{false}, opened{false};
    leat::spawn([&] {
      busy = true;
      leat_test::comes_true([&] { return opened.load(); });
    });
    EXPECT_TRUE(leat_test::comes_true([&] { return leat::poll(), busy.load(); }));
    leat::spawn([] {});
    opened = true;
    const bool came = leat_test::comes_true([&] { return usleep(0), ready(); });  // where TSan delivers signals
    leat::barrier();
    return came;
  });
}

TEST(own_handler, that_was_there_before_sees_what_is_not_ours_and_is_put_back) {
  for (const bool with_info : {true, false}) {
    SCOPED_TRACE(with_info);
    const own_handler own(with_info);
    {
      leat::runtime rt(two_workers());
      EXPECT_TRUE(owes_an_answer(rt, [&] { return rt.counters()[leat::event::interrupted_polls] != 0; }));
      EXPECT_EQ(seen + seen_of_ours, 0);
      errno = 0;
      EXPECT_EQ(kill(getpid(), SIGURG), 0);
      EXPECT_TRUE(leat_test::comes_true([] { return usleep(0), seen == 1; }));
      EXPECT_EQ(errno, 0);
    }
    const struct sigaction after = present();
    EXPECT_EQ(after.sa_flags & SA_SIGINFO, with_info ? SA_SIGINFO : 0);
    if (with_info) EXPECT_TRUE(after.sa_sigaction == count);
    else EXPECT_TRUE(after.sa_handler == count_plainly);
  }
  EXPECT_EQ(seen_of_ours, 0);
}

TEST(own_handler, that_comes_later_sees_ours_and_stays) {
  leat::options o = two_workers();
  struct sigaction ours = {};
  {
    leat::runtime rt(o);
    ours = present();
    const own_handler own;
    const auto looks = rt.counters()[leat::event::interrupted_polls];
    EXPECT_TRUE(owes_an_answer(rt, [] { return seen_of_ours != 0; }));
    EXPECT_EQ(rt.counters()[leat::event::interrupted_polls], looks);
    {
      // It finds interrupts claimed, and the place taken.
      leat::runtime another(o);
    }
    EXPECT_TRUE(present().sa_sigaction == count);
    EXPECT_EQ(rt.run([] { return 5; }), 5);
  }
  EXPECT_TRUE(present().sa_sigaction != ours.sa_sigaction) << "nothing of ours is left";
}

TEST(own_handler, that_stays_longer_than_the_runtime_is_left_alone) {
  struct sigaction before = present();
  struct sigaction own = {};
  own.sa_sigaction = count;
  own.sa_flags = SA_SIGINFO;
  {
    leat::runtime rt(two_workers());
    ASSERT_EQ(sigaction(SIGURG, &own, nullptr), 0);
  }
  EXPECT_TRUE(present().sa_sigaction == count);
  ASSERT_EQ(sigaction(SIGURG, &before, nullptr), 0);
}

// A handler of ours that passes a signal on may still run when the next first runtime looks at what was there before.
TEST(own_handler, misses_no_signal_while_runtimes_come_and_go) {
  constexpr int each = leat_test::reps(100);
  spoils_errno = false;  // where no runtime is, nobody mends it
  for (const bool with_info : {true, false}) {
    SCOPED_TRACE(with_info);
    const own_handler own(with_info);
    std::atomic<bool> over{false};
    std::thread receiver([&] {
      for (int sent = 0; !over; ++sent) {
        EXPECT_EQ(pthread_sigqueue(pthread_self(), SIGURG, {}), 0);
        EXPECT_TRUE(leat_test::comes_true([&] { return usleep(0), seen == sent + 1; }));
      }
    });
    for (int i = 0; i < each; ++i) leat::runtime(two_workers()).run([] {});
    over = true;
    receiver.join();
  }
  spoils_errno = true;
}

}  // namespace
