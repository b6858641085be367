// The one-shot channel between two real threads, on the heap: under ASan and TSan a touch after it was freed shows, and
// under TSan a missing release or acquire, since messages and waiters are plain memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "leat/channel/one_shot.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::platform::native;

using leat::channels::sent;

#if defined(LEAT_UNDER_TSAN)
constexpr std::uint32_t rounds = 4'000;
#else
constexpr std::uint32_t rounds = 40'000;
#endif

using post = std::unique_ptr<std::uint32_t>;

// Each round's channel is freed at once by whoever is told to be its last user (ONESHOT-3). The threads meet at each
// round through two words, so that both act at nearly the same moment.
template <class P>
class hand_over {
 public:
  struct alignas(8) waiter {
    std::uint32_t round = 0;  // plain: the announcement publishes it
    std::atomic<std::uint32_t> woken{0};
  };
  using shot = leat::channels::one_shot<P, post>;

  template <class Send, class Receive>
  void race(Send send, Receive receive) {
    std::thread sender([&] {
      for (std::uint32_t i = 1; i <= rounds; ++i) {
        while (posted_.load(std::memory_order_acquire) != i) std::this_thread::yield();
        shot* const s = shared_;
        if (i % 3 == 0) std::this_thread::yield();
        send(s, i);
        finished_.store(i, std::memory_order_release);
      }
    });
    for (std::uint32_t i = 1; i <= rounds; ++i) {
      shared_ = new shot;
      shot* const s = shared_;
      posted_.store(i, std::memory_order_release);
      if (i % 5 == 0) std::this_thread::yield();
      receive(s, i);
      while (finished_.load(std::memory_order_acquire) != i) std::this_thread::yield();
    }
    sender.join();
  }

 private:
  shot* shared_ = nullptr;
  std::atomic<std::uint32_t> posted_{0};
  std::atomic<std::uint32_t> finished_{0};
};

TEST(one_shot_channel_stress, receiver_frees_the_channel_with_the_message) {
  hand_over<native> h;
  using shot = typename hand_over<native>::shot;
  h.race([](shot* s, std::uint32_t i) { EXPECT_EQ(s->try_send(std::make_unique<std::uint32_t>(i)).result, sent::ok); },
         [](shot* s, std::uint32_t i) {
           while (!s->ready()) std::this_thread::yield();
           auto got = s->try_receive();
           delete s;
           ASSERT_TRUE(got.has_value());
           EXPECT_EQ(**got, i);
         });
}

TEST(one_shot_channel_stress, waiter_is_told_or_knows) {
  hand_over<native> h;
  using shot = typename hand_over<native>::shot;
  using waiter = typename hand_over<native>::waiter;
  waiter w;
  h.race(
      [](shot* s, std::uint32_t i) {
        const auto answer = s->try_send(std::make_unique<std::uint32_t>(i));
        EXPECT_EQ(answer.result, sent::ok);
        if (answer.waiter != 0) {
          auto* const told = reinterpret_cast<waiter*>(answer.waiter);
          EXPECT_EQ(told->round, i);
          told->woken.store(i, std::memory_order_release);
        }
      },
      [&w](shot* s, std::uint32_t i) {
        w.round = i;
        if (s->announce(&w)) {
          while (w.woken.load(std::memory_order_acquire) != i) std::this_thread::yield();
        }
        auto got = s->try_receive();
        delete s;
        ASSERT_TRUE(got.has_value());
        EXPECT_EQ(**got, i);
      });
}

TEST(one_shot_channel_stress, is_freed_by_exactly_one_when_abandoned) {
  hand_over<native> h;
  using shot = typename hand_over<native>::shot;
  std::uint32_t freed_by_sender = 0;
  std::uint32_t freed_by_receiver = 0;
  h.race(
      [&](shot* s, std::uint32_t i) {
        post p = std::make_unique<std::uint32_t>(i);
        if (s->try_send(std::move(p)).result == sent::closed) {
          EXPECT_TRUE(p != nullptr && *p == i);
          delete s;
          ++freed_by_sender;
        }
      },
      [&](shot* s, std::uint32_t i) {
        if (i % 2 == 0) std::this_thread::yield();
        if (s->close()) {
          delete s;
          ++freed_by_receiver;
        }
      });
  EXPECT_EQ(freed_by_sender + freed_by_receiver, rounds);
}

}  // namespace
