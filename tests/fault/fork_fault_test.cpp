// A process that forks: the child has the runtime's memory but none of its threads.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "child_threads.hpp"
#include "engines.hpp"
#include "leat/leat.hpp"
#include "leat/platform/profiled.hpp"
#include "leat/platform/requests.hpp"
#include "leat/strands/session.hpp"

namespace {

using leat::platform::native;

using leat_test::with_workers;

// Forks, and expects the child to leave with 0. A child that hangs is killed.
template <class F>
void in_child(F f) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    _exit(f());
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
}

TEST(fork_fault, run_in_the_child_is_an_error_that_says_so) {
  leat::runtime rt(with_workers(2));
  EXPECT_EQ(rt.run([] { return 1; }), 1);
  in_child([&] {
    for (int i = 0; i < 2; ++i) {
      try {
        rt.run([] { return 1; });
        return 1;
      } catch (const leat::forked_process& e) {
        if (std::string(e.what()).find("fork") == std::string::npos) return 2;
      }
    }
    return 0;
  });
  EXPECT_EQ(rt.run([] { return 2; }), 2) << "the parent does not mind";
}

TEST(fork_fault, the_child_may_destroy_the_runtime) {
  auto rt = std::make_unique<leat::runtime>(with_workers(3));
  rt->run([] {
    for (int i = 0; i < 100; ++i) leat::spawn([] {});
  });
  in_child([&] {
    rt.reset();
    return 0;
  });
  EXPECT_EQ(rt->run([] { return 2; }), 2);
}

TEST(fork_fault, the_child_may_ask_what_is_in_force) {
  leat::runtime rt(with_workers(3));
  rt.run([] { leat::spawn([] {}); });
  in_child([&] {
    if (rt.workers() != 3 || rt.scheduler() != leat::options().resolved().scheduler) return 1;
    if (rt.counters()[leat::event::tasks] != 1) return 2;
    leat::poll();
    try {
      leat::spawn([] {});
    } catch (const leat::not_a_worker&) {
      return 0;
    }
    return 3;
  });
}

TEST(fork_fault, the_child_may_have_a_runtime_of_its_own) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  leat::runtime rt(with_workers(2));
  rt.run([] {});
  in_child([] {
    leat::runtime own(with_workers(2));
    const int got = own.run([] {
      auto f = leat::async([] { return 3; });
      return f.get();
    });
    return got == 3 ? 0 : 1;
  });
}

// The parent's task goes on, but not for the child.
TEST(fork_fault, the_child_leaves_a_group_of_its_parent) {
  leat::parallel_for(0, 2, [](int) {});
  std::atomic<bool> begun{false}, end{false};
  leat::task_group all;
  all.spawn([&] {
    begun = true;
    while (!end) std::this_thread::yield();
  });
  while (!begun) leat::poll();
  in_child([&] {
    const auto throws = [&](auto use) {
      try {
        use();
      } catch (const leat::forked_process&) {
        return true;
      }
      return false;
    };
    const bool refused = throws([&] { all.wait(); }) && throws([&] { all.spawn([] {}); });
    all.~task_group();
    return refused ? 0 : 1;
  });
  end = true;
  all.wait();
}

TEST(fork_fault, the_child_gathers_no_futures_of_its_parent) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  std::atomic<bool> end{false};
  leat::shared_future<int> theirs = leat::submit([&] {
                                      while (!end) std::this_thread::yield();
                                      return 1;
                                    }).share();
  in_child([&] {
    const auto ours = [] { return leat::submit([] { return 2; }).share(); };
    try {
      static_cast<void>(leat::when_all(ours(), theirs));
      return 1;
    } catch (const leat::forked_process&) {
    }
    try {
      static_cast<void>(leat::when_any(theirs, theirs));
      return 2;
    } catch (const leat::forked_process&) {
    }
    return leat::when_any(theirs, ours()).get().index == 1 ? 0 : 3;
  });
  end = true;
  EXPECT_EQ(theirs.get(), 1);
}

// What `construct` does in the child: 0 if it throws that.
template <class Problem = leat::not_a_worker, class F>
int refused(F construct) {
  try {
    construct();
  } catch (const Problem&) {
    return 0;
  }
  return 1;
}

TEST(fork_fault, the_child_of_a_task_is_no_worker) {
  leat::runtime rt(with_workers(1));
  leat::worker_local<int> local(rt);
  int ran = 0;
  rt.run([&] {
    auto f = leat::async([&] { return ++ran; });
    in_child([&] {
      leat::poll();
      return refused([] { leat::spawn([] {}); }) << 0 | refused([] { leat::barrier(); }) << 2 |
             refused<leat::forked_process>([&] { f.get(); }) << 3 | refused([&] { local.local(); }) << 4 |
             (leat::blocking([] { return 0; }) << 5);
    });
    EXPECT_EQ(f.get(), 1) << "the parent does not mind";
  });
  EXPECT_EQ(ran, 1);
}

TEST(fork_fault, the_child_of_a_blocking_call_does_not_come_back_as_a_worker) {
  leat::runtime rt(with_workers(2));
  rt.run([] {
    const pid_t child = leat::blocking([] { return fork(); });
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      _exit(refused([] { leat::spawn([] {}); }));
    }
    int status = 0;
    leat::blocking([&] { waitpid(child, &status, 0); });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    leat::spawn([] {});
  });
  EXPECT_EQ(rt.counters()[leat::event::tasks], 1u);
}

// What a callable throws in a child of its own making passes a fork that is nobody's.
TEST(fork_fault, the_child_of_a_callable_may_throw_out_of_it) {
  leat::runtime rt(with_workers(2));
  rt.run([] {
    pid_t child = 0;
    const auto forks = [&child] {
      child = fork();
      if (child == 0) throw 7;
    };
    const auto plain = [&] { leat::fork_join(forks, [] {}); };
    const auto in_context = [&] { leat::fork_join([&](leat::context) { forks(); }, [](leat::context) {}); };
    for (const std::function<void()>& f : {std::function<void()>(plain), std::function<void()>(in_context)}) {
      try {
        f();
      } catch (int thrown) {
        alarm(20);
        _exit(thrown == 7 ? refused([] { leat::spawn([] {}); }) : 2);
      }
      ASSERT_GT(child, 0);
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
  });
}

/// Forks in a task. The child comes back from the task, by a return or an exception: expects that it aborts, with a message.
void returns_in_the_child() {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    dup2(pipe_ends[1], STDERR_FILENO);
    return;
  }
  close(pipe_ends[1]);
  std::string said;
  std::array<char, 256> part{};
  for (ssize_t n = 0; (n = read(pipe_ends[0], part.data(), part.size())) > 0;)
    said.append(part.data(), static_cast<std::size_t>(n));
  close(pipe_ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  EXPECT_NE(said.find("leat: a task returned or threw in the child of a fork()"), std::string::npos) << said;
}

void throws_in_the_child() {
  const pid_t before = getpid();
  returns_in_the_child();
  if (getpid() != before) throw std::runtime_error("thrown by the child");
}

class child_that_comes_back : public testing::TestWithParam<std::uint64_t> {};

TEST_P(child_that_comes_back, aborts_with_a_message) {
  const std::function<void(void (*)())> ways[] = {
      [](void (*body)()) { body(); },
      [](void (*body)()) { leat::spawn(body); },
      [](void (*body)()) { leat::fork_join(body, [] {}); },
      [](void (*body)()) { leat::fork_join([] {}, body); },
      [](void (*body)()) {
        leat::task_group g;
        for (int i = 0; i < 3; ++i) g.spawn(i == 1 ? body : [] {});
        g.wait();
      },
      [](void (*body)()) { leat::async(body).get(); },
      [](void (*body)()) {
        const auto f = leat::async(body).share();
        leat::spawn([] {});
        f.get();
      },
      [](void (*body)()) { leat::blocking(body); },
      [](void (*body)()) {
        leat::spawn([body] {
          leat::spawn([] {});
          leat::fork_join([body] { leat::blocking(body); }, [] {});
        });
        leat::barrier();
      },
      [](void (*body)()) {
        leat::parallel_for(0, 10'000, [body](int i) {
          if (i == 50) body();
        });
      },
  };
  for (std::size_t i = 0; i < std::size(ways); ++i) {
    for (void (*const body)() : {returns_in_the_child, throws_in_the_child}) {
      SCOPED_TRACE(i);
      leat::runtime rt(with_workers(GetParam()));
      rt.run([&] { ways[i](body); });
      EXPECT_EQ(rt.run([] { return 7; }), 7) << "the parent does not mind";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(of_few_workers_and_many, child_that_comes_back, testing::Values(1, 4));

TEST(fork_on, makes_the_child_nobody) {
  using P = native;
  for (int i = 0; i < 3; ++i) leat::scheduler::worker<P>::forget_in_children();
  leat::runtime rt(with_workers(1));
  rt.run([] {
    void* const me = P::self();
    EXPECT_NE(me, nullptr);
    in_child([] { return P::self() == nullptr ? 0 : 1; });
    EXPECT_EQ(P::self(), me);
  });
}

// The child takes the locks over that a thread of the parent held.
TEST(fork_fault, the_child_may_claim_signals_that_another_thread_was_claiming) {
  using leat::platform::requests;
  constexpr auto handler = [] {};
  const auto claim = [handler] {
    requests::claim();
    native::claim_interrupts(handler);
    requests::release();
    native::release_interrupts(handler);
    leat::strands::session<leat::platform::profiled>::outside_ends();
    leat::strands::session<leat::platform::profiled>::outside_begins();
  };
  std::atomic<bool> ended{false};
  std::thread other([&] {
    while (!ended) claim();
  });
  for (int i = 0; i < 50 && !HasFailure(); ++i) {
    in_child([&] {
      requests::forget();
      claim();
      return 0;
    });
  }
  ended = true;
  other.join();
}

bool is_child = false;  // of a fork, and about to leave

// A child that leaves by exit() runs the destructors of static objects; leat has none that do anything.
TEST(fork_fault, the_child_may_exit) {
  static leat::runtime& rt = *new leat::runtime(with_workers(2));
  rt.run([] {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    is_child = true;
    std::exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
// AddressSanitizer's search for leaks at exit stops all threads. A child has but one, and now and then waits for ever.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier): its name
extern "C" int __lsan_is_turned_off() { return is_child ? 1 : 0; }  // NOLINT(bugprone-reserved-identifier)
#endif
