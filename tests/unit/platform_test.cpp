// The door to the machine: waiting, clock, threads, interrupts, pinning.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/platform/counted.hpp"
#include "leat/platform/native.hpp"
#include "leat/topology/cpus.hpp"

namespace {

using leat_test::comes_true;

template <class P>
class platform : public ::testing::Test {
 protected:
  using word = typename P::template atomic<std::uint32_t>;
  using thread = typename P::thread;

  static std::uint32_t read(const word& w) { return w.load(leat::platform::seq_cst); }
};
using platforms = ::testing::Types<leat::platform::native, leat::platform::counted>;
TYPED_TEST_SUITE(platform, platforms);

TYPED_TEST(platform, does_not_wait_for_a_word_that_has_changed) {
  typename TestFixture::word w(1);
  TypeParam::wait(w, 0);
  TypeParam::wait(w, 2);
  SUCCEED() << "it came back";
}

TYPED_TEST(platform, waits_until_it_is_woken) {
  typename TestFixture::word w(0);
  std::atomic<int> awake{0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 3; ++i) {
    sleepers.emplace_back([&] {
      while (TestFixture::read(w) == 0) TypeParam::wait(w, 0);
      ++awake;
    });
  }
  TypeParam::sleep_ns(5'000'000);
  TypeParam::wake_all(w);  // without news: they go back to sleep
  TypeParam::sleep_ns(5'000'000);
  EXPECT_EQ(awake, 0);
  w.store(1, leat::platform::seq_cst);
  TypeParam::wake_all(w);
  EXPECT_TRUE(comes_true([&] { return awake == 3; }));
  for (auto& t : sleepers) t.join();
}

TYPED_TEST(platform, waits_for_a_limited_time) {
  typename TestFixture::word w(0);
  TypeParam::wait_for(w, 1, 10'000'000'000);  // has changed
  const std::uint64_t start = TypeParam::now_ns();
  constexpr std::uint64_t limit = 3'000'000;
  while (TypeParam::now_ns() - start < limit) TypeParam::wait_for(w, 0, limit);
  std::atomic<bool> awake{false};
  std::thread sleeper([&] {
    while (TestFixture::read(w) == 0) TypeParam::wait_for(w, 0, 10'000'000'000);
    awake = true;
  });
  TypeParam::sleep_ns(2'000'000);
  w.store(1, leat::platform::seq_cst);
  TypeParam::wake_one(w);
  EXPECT_TRUE(comes_true([&] { return awake.load(); }));
  sleeper.join();
}

TYPED_TEST(platform, wakes_one_at_a_time) {
  typename TestFixture::word w(0);
  std::atomic<int> awake{0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 3; ++i) {
    sleepers.emplace_back([&] {
      while (TestFixture::read(w) == 0) TypeParam::wait(w, 0);
      ++awake;
    });
  }
  TypeParam::sleep_ns(20'000'000);
  w.store(1, leat::platform::seq_cst);
  for (int i = 0; i < 3; ++i) TypeParam::wake_one(w);
  EXPECT_TRUE(comes_true([&] { return awake == 3; }));
  for (auto& t : sleepers) t.join();
}

TYPED_TEST(platform, may_wake_at_an_address_where_no_word_is_any_more) {
  auto w = std::make_unique<typename TestFixture::word>(0u);
  auto* gone = w.get();
  TypeParam::wake_all(*gone);
  TypeParam::wake_one(*gone);
}

TYPED_TEST(platform, has_a_clock_that_does_not_go_back) {
  std::uint64_t last = TypeParam::now_ns();
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t now = TypeParam::now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
  TypeParam::sleep_ns(3'000'000);
  EXPECT_GE(TypeParam::now_ns() - last, 3'000'000u);
}

TYPED_TEST(platform, gives_each_thread_a_pointer_of_its_own) {
  EXPECT_EQ(TypeParam::self(), nullptr);
  int mine = 0;
  TypeParam::self() = &mine;
  typename TestFixture::thread other([&] {
    EXPECT_EQ(TypeParam::self(), nullptr);
    int its = 0;
    TypeParam::self() = &its;
    EXPECT_EQ(TypeParam::self(), &its);
  });
  other.join();
  EXPECT_EQ(TypeParam::self(), &mine);
  TypeParam::self() = nullptr;
}

TEST(platform_self, is_not_shared_between_platforms) {
  int mine = 0;
  leat::platform::counted::self() = &mine;
  EXPECT_EQ(leat::platform::native::self(), nullptr);
  leat::platform::counted::self() = nullptr;
}

TYPED_TEST(platform, has_threads_that_are_joined_once) {
  using joined = typename TestFixture::thread;
  joined none;
  EXPECT_FALSE(none.joinable());
  bool ran = false;
  joined t([&] { ran = true; });
  EXPECT_TRUE(t.joinable());
  joined moved(std::move(t));
  EXPECT_FALSE(t.joinable());
  moved.join();
  EXPECT_FALSE(moved.joinable());
  EXPECT_TRUE(ran);
}

// -- interrupts: the handler is one for the process, so it works on globals

#if defined(LEAT_UNDER_TSAN)
// TSan keeps a signal back until the thread has left read().
constexpr bool interrupts_read = false;
#else
constexpr bool interrupts_read = true;
#endif

std::atomic<int> interrupts{0};
std::atomic<std::thread::id> interrupted;

void on_interrupt() {
  interrupted = std::this_thread::get_id();
  errno = ENOTTY;
  ++interrupts;
}

template <class P>
struct claim {
  claim() { P::claim_interrupts(on_interrupt); }
  claim(const claim&) = delete;
  claim& operator=(const claim&) = delete;
  ~claim() { P::release_interrupts(on_interrupt); }
};

TYPED_TEST(platform, interrupts_the_thread_that_is_meant_and_keeps_its_errno) {
  interrupts = 0;
  const claim<TypeParam> held;
  std::atomic<bool> started{false};
  std::atomic<std::thread::id> id;
  std::atomic<int> errno_after{0};
  typename TestFixture::thread t([&] {
    id = std::this_thread::get_id();
    errno = EDOM;
    started = true;
    while (interrupts == 0) {
    }
    errno_after = errno;
  });
  ASSERT_TRUE(comes_true([&] { return started.load(); }));
  t.interrupt();
  t.join();
  EXPECT_EQ(interrupts, 1);
  EXPECT_EQ(interrupted.load(), id.load());
  EXPECT_EQ(errno_after, EDOM);
}

TYPED_TEST(platform, interrupts_a_thread_without_breaking_its_system_calls) {
  interrupts = 0;
  const claim<TypeParam> held;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::atomic<long> got{0};
  typename TestFixture::thread t([&] {
    char c = 0;
    got = read(ends[0], &c, 1);
  });
  for (int i = 1; i <= 5; ++i) {
    TypeParam::sleep_ns(2'000'000);
    t.interrupt();
    if (!interrupts_read) continue;
    EXPECT_TRUE(comes_true([&] { return interrupts == i; })) << "it runs also in the middle of a system call";
  }
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  t.join();
  EXPECT_EQ(got, 1);
  close(ends[0]);
  close(ends[1]);
}

TYPED_TEST(platform, interrupts_a_sleeper_without_losing_its_wake_up) {
  interrupts = 0;
  const claim<TypeParam> held;
  typename TestFixture::word w(0);
  typename TestFixture::thread t([&] {
    while (TestFixture::read(w) == 0) TypeParam::wait(w, 0);
  });
  for (int i = 1; i <= 20; ++i) {
    t.interrupt();
    EXPECT_TRUE(comes_true([&] { return interrupts == i; }));
  }
  w.store(1, leat::platform::seq_cst);
  TypeParam::wake_one(w);
  t.join();
}

TYPED_TEST(platform, can_do_without_a_handler) {
  std::atomic<bool> done{false};
  typename TestFixture::thread t([&] {
    while (!done) TypeParam::yield();
  });
  t.interrupt();
  done = true;
  t.join();
}

TYPED_TEST(platform, keeps_what_is_in_memory_that_gets_large_pages) {
  using P = TypeParam;
  std::vector<std::uint32_t> words(std::size_t{3} << 20);
  std::iota(words.begin(), words.end(), 0u);
  P::prefer_large_pages(&words[1], (words.size() - 2) * sizeof(words[0]));  // at no page's begin or end
  P::prefer_large_pages(&words[7], 1);
  P::prefer_large_pages(words.data(), 0);
  for (std::uint32_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], i);
}

TYPED_TEST(platform, binds_a_thread_to_a_cpu_that_exists) {
  std::thread t([] {
    for (const unsigned cpu : leat::topology::read_cpus().allowed) {
      ASSERT_TRUE(TypeParam::bind(cpu));
      EXPECT_EQ(sched_getcpu(), static_cast<int>(cpu));
    }
    EXPECT_FALSE(TypeParam::bind(60'000));
    EXPECT_FALSE(TypeParam::bind(4'000'000'000u));
  });
  t.join();
}

TYPED_TEST(platform, tells_a_forked_child_from_its_parent) {
  const std::uint64_t parent = TypeParam::process_id();
  EXPECT_EQ(TypeParam::process_id(), parent);
  const pid_t child = fork();
  if (child == 0) _exit(TypeParam::process_id() == parent ? 1 : 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// The fence forbids what TSO machines do: both threads miss each other's store.
TYPED_TEST(platform, has_a_fence_between_a_store_and_a_load) {
  std::atomic<int> round_of_a{0};
  std::atomic<int> round_of_b{0};
  struct alignas(64) lone_word {
    typename TypeParam::template atomic<std::uint32_t> value{0};
  };
  lone_word x;
  lone_word y;
  int both_missed = 0;
  const int rounds = leat_test::reps(50'000);
  std::uint32_t seen_by_a = 0;
  std::uint32_t seen_by_b = 0;
  std::thread b([&] {
    for (int i = 1; i <= rounds; ++i) {
      while (round_of_a != i) TypeParam::yield();
      y.value.store(1, leat::platform::relaxed);
      TypeParam::fence();
      seen_by_b = x.value.load(leat::platform::relaxed);
      round_of_b = i;
    }
  });
  for (int i = 1; i <= rounds; ++i) {
    x.value.store(0, leat::platform::relaxed);
    y.value.store(0, leat::platform::relaxed);
    round_of_a = i;
    x.value.store(1, leat::platform::relaxed);
    TypeParam::fence();
    seen_by_a = y.value.load(leat::platform::relaxed);
    while (round_of_b != i) TypeParam::yield();
    if (seen_by_a == 0 && seen_by_b == 0) ++both_missed;
  }
  b.join();
  EXPECT_EQ(both_missed, 0);
}

TEST(platform_forks, call_a_handler_once) {
  static int calls = 0;
  const auto handler = +[] { ++calls; };
  leat::platform::native::on_fork(handler);
  leat::platform::native::on_fork(handler);
  const pid_t child = fork();
  if (child == 0) _exit(calls);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
