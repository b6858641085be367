// Every place in a channel's call where another thread may come in between, one after the other.
//
// The channels stand here on a platform whose atomic words call back before each operation. One call (the outer one) is
// suspended before its k-th operation, for every k, and meanwhile a script of whole calls runs, for every short script.
// What all of them answered must be what some sequential order of them would have answered.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/channel/mpmc.hpp"
#include "leat/channel/mpsc.hpp"
#include "leat/channel/one_shot.hpp"
#include "leat/channel/spsc.hpp"
#include "leat/platform/order.hpp"

namespace {

using leat::channels::sent;

struct suspended {
  static inline int steps_left = -1;
  static inline std::function<void()> meanwhile;

  static void step() {
    if (steps_left < 0 || steps_left-- > 0) return;
    auto now = std::move(meanwhile);  // it may itself suspend a call
    now();
  }

  // Runs `outer` with `inner` before its k-th atomic operation, k >= 0. False if outer has fewer operations.
  static bool run(int k, const std::function<void()>& outer, const std::function<void()>& inner) {
    bool ran = false;
    meanwhile = [&] { ran = true, inner(); };
    steps_left = k;
    outer();
    steps_left = -1;
    return ran;
  }

  template <class T>
  class atomic {
   public:
    atomic(T value = T()) noexcept : word_(value) {}
    T load(std::memory_order o) const { return step(), word_.load(o); }
    void store(T v, std::memory_order o) { step(), word_.store(v, o); }
    T exchange(T v, std::memory_order o) { return step(), word_.exchange(v, o); }
    bool compare_exchange_weak(T& e, T v, std::memory_order s, std::memory_order f) {
      return step(), word_.compare_exchange_strong(e, v, s, f);
    }
    bool compare_exchange_strong(T& e, T v, std::memory_order s, std::memory_order f) {
      return step(), word_.compare_exchange_strong(e, v, s, f);
    }
    T fetch_or(T v, std::memory_order o) { return step(), word_.fetch_or(v, o); }
    T fetch_and(T v, std::memory_order o) { return step(), word_.fetch_and(v, o); }

   private:
    std::atomic<T> word_;
  };
};

enum class op { send, receive, close, reopen };

struct call {
  op what;
  int message = 0;  // of a send
  sent answer = sent::ok;  // of a send
  std::optional<int> got = {};  // of a receive
};

using box = std::unique_ptr<int>;  // so that ASan sees a message lost or given out twice

template <class Channel>
void make(Channel& c, call& x) {
  switch (x.what) {
    case op::send: {
      box b = std::make_unique<int>(x.message);
      x.answer = c.try_send(std::move(b));
      ASSERT_EQ(b != nullptr, x.answer != sent::ok);
      ASSERT_TRUE(!b || *b == x.message);
      break;
    }
    case op::receive: {
      auto got = c.try_receive();
      if (got) x.got = **got;
      break;
    }
    case op::close: c.close(); break;
    case op::reopen: c.reopen(); break;
  }
}

// What a suspended call of another thread lets a channel answer besides.
enum class slack {
  none,  // spsc
  cell_in_hand,  // mpsc: full when one cell is missing (MPSC-5)
  turn,  // mpmc: nothing to receive behind an unfinished send; full a lap after an unfinished receive (MPMC-5)
};

// What a channel may answer.
struct model {
  std::size_t capacity;
  slack allowed;
  std::deque<int> inside = {};
  bool closed = false;
  std::size_t sends = 0;
  std::size_t receives = 0;

  // The suspended call: whether there is one, and which message or turn it has if its place is before now.
  bool other = false;
  std::optional<int> other_message = {};
  std::optional<std::size_t> other_turn = {};

  bool may_be_full() const {
    return inside.size() >= capacity || (allowed == slack::cell_in_hand && other && inside.size() + 1 >= capacity) ||
           (allowed == slack::turn && other_turn && sends == *other_turn + capacity);
  }
  bool may_be_empty() const { return inside.empty() || (allowed == slack::turn && other_message == inside.front()); }

  // Lets x happen; false if it cannot have answered so.
  bool take(const call& x) {
    switch (x.what) {
      case op::send:
        if (x.answer == sent::closed) return closed;
        if (x.answer == sent::full) return !closed && may_be_full();
        if (closed || inside.size() >= capacity) return false;
        inside.push_back(x.message);
        ++sends;
        return true;
      case op::receive:
        if (!x.got) return may_be_empty();
        if (inside.empty() || inside.front() != *x.got) return false;
        inside.pop_front();
        ++receives;
        return true;
      case op::close: closed = true; return true;
      case op::reopen: closed = false; return true;
    }
    return false;
  }
};

// Is there a place for `outer` among the `inner` calls at which all the answers fit, and `left` is what remains?
bool explainable(const model& before, const call& outer, const std::vector<call>& inner, const std::deque<int>& left) {
  for (std::size_t place = 0; place <= inner.size(); ++place) {
    model m = before;
    bool fits = true;
    for (std::size_t i = 0; i <= inner.size() && fits; ++i) {
      if (i == place) {
        m.other = false;
        const std::size_t turn = m.receives;
        fits = m.take(outer);
        if (outer.what == op::send) m.other_message = outer.message;
        if (outer.what == op::receive && outer.got) m.other_turn = turn;
      }
      m.other = true;
      if (fits && i < inner.size()) fits = m.take(inner[i]);
    }
    if (fits && m.inside == left) return true;
  }
  return false;
}

std::string describe(const call& x) {
  switch (x.what) {
    case op::send:
      return "send " + std::to_string(x.message) +
             (x.answer == sent::ok     ? " ok"
              : x.answer == sent::full ? " full"
                                       : " closed");
    case op::receive: return "receive " + (x.got ? std::to_string(*x.got) : "nothing");
    case op::close: return "close";
    case op::reopen: return "reopen";
  }
  return "";
}

// Calls in a script; three are enough for a cell to leave a stack and come back to its top.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int length = 3;
#elif defined(__has_feature)
constexpr int length = __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) ? 3 : 4;
#else
constexpr int length = 4;
#endif

// All scripts of at most `most` calls of the kinds `allowed`.
std::vector<std::vector<op>> scripts(const std::vector<op>& allowed, int most) {
  std::vector<std::vector<op>> all = {{}};
  std::size_t begin = 0;
  for (int n = 0; n < most; ++n) {
    const std::size_t end = all.size();
    for (; begin < end; ++begin) {
      for (const op what : allowed) {
        all.push_back(all[begin]);
        all.back().push_back(what);
      }
    }
  }
  all.erase(all.begin());
  return all;
}

// Brings a new channel to where `passed` messages went through it, of which at most `together` were inside at a time,
// and `inside` are left; suspends `outer` at step k with the script inside; checks. False if outer has no step k.
template <class Channel>
bool check(std::size_t capacity, std::uint64_t first, int passed, int inside, op outer_op,
           const std::vector<op>& script, int k, slack allowed) {
  Channel c(capacity, first);
  model m{capacity, allowed};
  int next = 0;
  auto prepare = [&](op what) {
    call x{what, next++};
    make(c, x);
    ASSERT_TRUE(m.take(x)) << describe(x);
  };
  for (int i = 0; i < passed; ++i) prepare(op::send);
  for (int i = 0; i < passed; ++i) prepare(op::receive);
  for (int i = 0; i < inside; ++i) prepare(op::send);

  call outer{outer_op, next++};
  std::vector<call> inner;
  for (const op what : script) inner.push_back({what, next++});
  const bool ran = suspended::run(
      k, [&] { make(c, outer); },
      [&] {
        for (call& x : inner) make(c, x);
      });
  if (!ran) return false;

  std::deque<int> left;
  while (auto got = c.try_receive()) left.push_back(**got);
  const bool fits = explainable(m, outer, inner, left);
  std::string story = "capacity " + std::to_string(capacity) + ", passed " + std::to_string(passed) + ", inside " +
                      std::to_string(inside) + "; suspended at " + std::to_string(k) + ": " + describe(outer) + ";";
  for (const call& x : inner) story += " " + describe(x) + ",";
  EXPECT_TRUE(fits) << story << " left " << left.size();

  // No cell is lost, and none is there twice.
  c.reopen();
  for (std::size_t i = 0; i < capacity; ++i) EXPECT_EQ(c.try_send(std::make_unique<int>(1)), sent::ok) << story;
  EXPECT_EQ(c.try_send(std::make_unique<int>(1)), sent::full) << story;
  for (std::size_t i = 0; i < capacity; ++i) EXPECT_TRUE(c.try_receive().has_value()) << story;
  EXPECT_FALSE(c.try_receive().has_value()) << story;
  return true;
}

template <class Channel>
void check_all(op outer, const std::vector<op>& others, slack allowed) {
  const auto all = scripts(others, length);
  for (std::size_t capacity = 1; capacity <= 3; ++capacity) {
    for (const std::uint64_t first : {std::uint64_t{0}, ~std::uint64_t{0} - 1, (std::uint64_t{1} << 48) - 2}) {
      for (int passed = 0; passed <= static_cast<int>(capacity); ++passed) {
        for (int inside = 0; inside <= static_cast<int>(capacity); ++inside) {
          for (const auto& script : all) {
            for (int k = 0; check<Channel>(capacity, first, passed, inside, outer, script, k, allowed); ++k) {
              if (::testing::Test::HasFailure()) return;  // one story is enough
            }
          }
        }
      }
    }
  }
}

template <class T>
using spsc = leat::channels::spsc<suspended, T>;
using mpsc = leat::channels::mpsc<suspended, box>;
using mpmc = leat::channels::mpmc<suspended, box>;

TEST(channel_interleaving, spsc_send) { check_all<spsc<box>>(op::send, {op::receive}, slack::none); }

TEST(channel_interleaving, spsc_receive) { check_all<spsc<box>>(op::receive, {op::send, op::close}, slack::none); }

TEST(channel_interleaving, mpsc_send) {
  check_all<mpsc>(op::send, {op::send, op::receive, op::close, op::reopen}, slack::cell_in_hand);
}

// Two senders see an empty stack of free cells; then the receiver returns one, and the other sender takes the last
// untouched one. Never were two in use, so the first must not say full (MPSC-5).
TEST(channel_interleaving, mpsc_send_looks_at_the_stack_again) {
  for (int k = 0; k <= 3; ++k) {
    for (int other_k = 2; other_k <= 3; ++other_k) {  // before it reads fresh_, before it advances it
      mpsc c(2);
      call old{op::send, 1};
      call first{op::send, 2};
      call other{op::send, 3};
      call receipt{op::receive};
      make(c, old);
      ASSERT_TRUE(suspended::run(
          k, [&] { make(c, first); },
          [&] { ASSERT_TRUE(suspended::run(other_k, [&] { make(c, other); }, [&] { make(c, receipt); })); }));
      EXPECT_EQ(receipt.got, 1);
      EXPECT_EQ(other.answer, sent::ok);
      EXPECT_EQ(first.answer, sent::ok) << "suspended at " << k << " and " << other_k;
    }
  }
}

TEST(channel_interleaving, mpsc_receive) { check_all<mpsc>(op::receive, {op::send}, slack::cell_in_hand); }

TEST(channel_interleaving, mpsc_close_and_reopen) {
  check_all<mpsc>(op::close, {op::send}, slack::none);
  check_all<mpsc>(op::reopen, {op::send}, slack::none);
}

TEST(channel_interleaving, mpmc_send) {
  check_all<mpmc>(op::send, {op::send, op::receive, op::close, op::reopen}, slack::turn);
}

TEST(channel_interleaving, mpmc_receive) {
  check_all<mpmc>(op::receive, {op::send, op::receive, op::close, op::reopen}, slack::turn);
}

// The spsc receiver may trust drained() even if the sender sends and closes while it asks.
TEST(channel_interleaving, spsc_drained) {
  for (int k = 0;; ++k) {
    spsc<int> c(2);
    bool drained = false;
    const bool ran = suspended::run(
        k, [&] { drained = c.drained(); },
        [&] {
          ASSERT_EQ(c.try_send(1), sent::ok);
          c.close();
        });
    if (!ran) break;
    EXPECT_FALSE(drained) << k;
  }
}

using shot = leat::channels::one_shot<suspended, box>;

TEST(channel_interleaving, one_shot_receiver_announces_while_the_sender_sends) {
  for (const bool announced : {false, true}) {
    for (int k = 0; k < 4; ++k) {
      shot c;
      ASSERT_TRUE(!announced || c.announce(std::uintptr_t{64}));
      leat::channels::one_shot_sent answer{};
      const bool ran = suspended::run(
          k, [&] { answer = c.try_send(std::make_unique<int>(1)); },
          [&] {
            EXPECT_FALSE(c.ready());
            EXPECT_TRUE(c.announce(std::uintptr_t{128}));
          });
      EXPECT_EQ(answer.result, sent::ok);
      EXPECT_EQ(answer.waiter, ran ? 128u : announced ? 64u : 0u) << k;
      EXPECT_EQ(**c.try_receive(), 1);
    }
  }
}

TEST(channel_interleaving, one_shot_receiver_goes_while_the_sender_sends) {
  for (int k = 0; k < 2; ++k) {
    shot c;
    bool receiver_is_last = true;
    box b = std::make_unique<int>(1);
    sent answer = sent::ok;
    ASSERT_TRUE(
        suspended::run(k, [&] { answer = c.try_send(std::move(b)).result; }, [&] { receiver_is_last = c.close(); }));
    EXPECT_EQ(answer, sent::closed) << k;
    EXPECT_FALSE(receiver_is_last) << k;
    EXPECT_TRUE(b != nullptr && *b == 1) << k;
  }
}

TEST(channel_interleaving, one_shot_sender_has_done_with_its_exchange) {
  // The second operation is the exchange, and nothing comes after it: the receiver may have freed the channel.
  shot c;
  for (int k = 0; k < 3; ++k) {
    const bool ran = suspended::run(
        k, [&] { EXPECT_EQ(c.try_send(std::make_unique<int>(1)).result, sent::ok); }, [&] { EXPECT_FALSE(c.ready()); });
    EXPECT_EQ(ran, k < 2) << k;
    c.reopen();
  }
}

TEST(channel_interleaving, one_shot_message_comes_while_the_receiver_announces) {
  for (int k = 0; k < 2; ++k) {
    shot c;
    bool announced = true;
    std::uintptr_t waiter = 1;
    ASSERT_TRUE(suspended::run(
        k, [&] { announced = c.announce(std::uintptr_t{64}); },
        [&] { waiter = c.try_send(std::make_unique<int>(1)).waiter; }));
    // The sender is not told, so the receiver must know: otherwise it sleeps for ever.
    EXPECT_FALSE(announced);
    EXPECT_EQ(waiter, 0u);
    EXPECT_TRUE(c.try_receive().has_value());
  }
}

// ONESHOT-7: of two receivers that announce themselves, and a sender, each in the middle of the other.
TEST(channel_interleaving, one_shot_receivers_announce_among_each_other) {
  struct alignas(8) node {
    node* next = nullptr;
  };
  for (const bool message_comes : {false, true}) {
    for (int k = 0; k < 2; ++k) {
      shot c;
      node outer;
      node inner;
      node* told = nullptr;
      const auto send = [&] { told = reinterpret_cast<node*>(c.try_send(std::make_unique<int>(1)).waiter); };
      bool announced = false;
      ASSERT_TRUE(suspended::run(
          k, [&] { announced = c.announce_among(&outer); },
          [&] {
            EXPECT_TRUE(c.announce_among(&inner));
            if (message_comes) send();
          }));
      EXPECT_EQ(announced, !message_comes) << k;
      if (!message_comes) send();
      EXPECT_EQ(told, message_comes ? &inner : &outer) << k;
      EXPECT_EQ(outer.next, message_comes ? nullptr : &inner) << k;
      EXPECT_EQ(inner.next, nullptr);
      EXPECT_EQ(**c.try_receive(), 1);
    }
  }
}

TEST(channel_interleaving, one_shot_message_comes_while_the_receiver_goes) {
  shot c;
  bool receiver_is_last = false;
  ASSERT_TRUE(suspended::run(
      0, [&] { receiver_is_last = c.close(); },
      [&] { EXPECT_EQ(c.try_send(std::make_unique<int>(1)).result, sent::ok); }));
  EXPECT_TRUE(receiver_is_last);
  EXPECT_EQ(c.size(), 0u);
}

}  // namespace
