// Every channel, with two and three threads and up to seven calls, in every schedule with at most three preemptions: what all
// of them answer is what some sequential order of them would have answered, as far as the channel's rules promise it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "every_schedule.hpp"
#include "leat/channel/mailbox.hpp"
#include "leat/channel/mpmc.hpp"
#include "leat/channel/mpsc.hpp"
#include "leat/channel/one_shot.hpp"
#include "leat/channel/spsc.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::channels::sent;
using leat::platform::simulated;
using leat_test::fail_here;
using leat_test::history;
using leat_test::in_every_schedule;

// A letter of a script: s(end), r(eceive), c(lose), o(pen again), d(rained?), O(pen again if drained).
struct call {
  char what;
  int message = 0;
  sent answer = sent::ok;
  int got = 0;  // 0: nothing
  bool yes = false;
};
using calls = history<call>;

// What another call that has not returned lets a channel answer besides.
enum class slack {
  none,  // spsc
  cell_in_hand,  // mpsc: full, when calls that have not returned have cells (MPSC-5)
  turn,  // mpmc: nothing to receive behind an unfinished send; full behind an unfinished receive (MPMC-5)
};

struct model {
  static constexpr std::size_t inside_max = 8;
  std::size_t capacity;
  slack allowed;
  std::array<std::uint32_t, inside_max> inside{};  // the calls that sent them
  std::size_t count = 0;
  bool closed = false;

  template <class Condition>
  static std::size_t others(const calls& all, std::uint32_t me, Condition holds) {
    std::size_t sum = 0;
    for (std::uint32_t i = 0; i < all.size(); ++i)
      sum += i != me && all[i].overlaps(all[me]) && holds(all[i].what.what);
    return sum;
  }

  bool may_be_full(const calls& all, std::uint32_t me) const {
    if (count >= capacity) return true;
    if (allowed == slack::cell_in_hand)
      return count + others(all, me, [](char c) { return c == 's' || c == 'r'; }) >= capacity;
    return allowed == slack::turn && others(all, me, [](char c) { return c == 'r'; }) != 0;
  }

  bool may_be_empty(const calls& all, std::uint32_t me) const {
    return count == 0 || (allowed == slack::turn && all[inside[0]].overlaps(all[me]));
  }

  bool take(const calls& all, std::uint32_t me) {
    const call& c = all[me].what;
    switch (c.what) {
      case 's':
        if (c.answer == sent::closed) return closed;
        if (c.answer == sent::full) return !closed && may_be_full(all, me);
        if (closed || count >= capacity) return false;
        inside[count++] = me;
        return true;
      case 'r':
        if (c.got == 0) return may_be_empty(all, me);
        if (count == 0 || all[inside[0]].what.message != c.got) return false;
        std::copy(inside.begin() + 1, inside.begin() + static_cast<std::ptrdiff_t>(count), inside.begin());
        --count;
        return true;
      case 'c': return closed = true;
      case 'o': closed = false; return true;
      case 'd': return c.yes == (closed && count == 0) || (allowed == slack::turn && !c.yes);
      default:  // 'O'
        if (c.yes != (closed && count == 0) && (c.yes || allowed == slack::none)) return false;
        if (c.yes) closed = false;
        return true;
    }
  }
};

template <class Channel>
void make(Channel& channel, call& c) {
  switch (c.what) {
    case 's': c.answer = channel.try_send(c.message); break;
    case 'r': c.got = channel.try_receive().value_or(0); break;
    case 'c': channel.close(); break;
    case 'o': channel.reopen(); break;
    default:
      if constexpr (requires { channel.drained(); }) {
        c.yes = channel.drained();
        if (c.yes && c.what == 'O') channel.reopen();
      }
  }
}

template <class Channel>
void expect_explained(std::size_t capacity, std::uint64_t first, int inside, std::vector<std::string> scripts,
                      slack allowed, int passed = 0) {
  std::string story = "capacity " + std::to_string(capacity) + ", " + std::to_string(inside) + " inside, " +
                      std::to_string(passed) + " passed:";
  for (const std::string& s : scripts) story += " " + s;
  SCOPED_TRACE(story);
  calls all;
  in_every_schedule([&] {
    all.clear();
    Channel channel(capacity, first);
    int messages = 0;
    const auto play = [&](char letter) {
      const call c{letter, letter == 's' ? ++messages : 0};
      all.make(c, [&](call& made) { make(channel, made); });
    };
    for (int i = 0; i < passed; ++i) play('s');
    for (int i = 0; i < passed; ++i) play('r');
    for (int i = 0; i < inside; ++i) play('s');
    std::array<simulated::thread, 3> threads;
    for (std::size_t t = 1; t < scripts.size(); ++t) {
      threads[t] = simulated::thread([&, t] {
        for (const char letter : scripts[t]) play(letter);
      });
    }
    for (const char letter : scripts[0]) play(letter);
    for (std::size_t t = 1; t < scripts.size(); ++t) threads[t].join();
    for (std::size_t i = 0; i <= capacity; ++i) play('r');  // what is left
    if (all.explained_by(model{capacity, allowed})) return;
    std::string told = "no order explains:";
    for (std::size_t i = 0; i < all.size(); ++i) {
      const call& c = all[i].what;
      told += std::string(" ") + c.what + std::to_string(c.what == 's' ? c.message : c.got) +
              (c.answer == sent::full     ? "full"
               : c.answer == sent::closed ? "closed"
                                          : "") +
              (c.yes ? "yes" : "") + "[" + std::to_string(all[i].begun) + "-" + std::to_string(all[i].ended) + "]";
    }
    fail_here(told);
  });
}

using spsc = leat::channels::spsc<simulated, int>;
using mpsc = leat::channels::mpsc<simulated, int>;
using mpmc = leat::channels::mpmc<simulated, int>;
constexpr std::uint64_t near_the_end = ~std::uint64_t{0} - 1;

TEST(every_schedule, spsc) {
  for (const std::uint64_t first : {std::uint64_t{0}, near_the_end}) {
    expect_explained<spsc>(1, first, 0, {"sssc", "rrr"}, slack::none);
    expect_explained<spsc>(2, first, 1, {"ssss", "rrr"}, slack::none);
    expect_explained<spsc>(2, first, 0, {"sscss", "rOr"}, slack::none);
    expect_explained<spsc>(1, first, 0, {"scs", "drOd"}, slack::none);
  }
}

TEST(every_schedule, mpsc) {
  constexpr std::uint64_t near_the_tags_end = (std::uint64_t{1} << 48) - 2;
  for (const std::uint64_t first : {std::uint64_t{0}, near_the_tags_end}) {
    expect_explained<mpsc>(1, first, 0, {"rrr", "ss", "ss"}, slack::cell_in_hand);
    expect_explained<mpsc>(2, first, 1, {"rr", "ss", "ss"}, slack::cell_in_hand);
    expect_explained<mpsc>(2, first, 0, {"rcror", "ss"}, slack::cell_in_hand);
    expect_explained<mpsc>(2, first, 0, {"crr", "s", "s"}, slack::cell_in_hand);
    expect_explained<mpsc>(3, first, 0, {"r", "ss", "ss"}, slack::cell_in_hand, 3);  // MPSC-4
  }
}

TEST(every_schedule, mpmc) {
  for (const std::uint64_t first : {std::uint64_t{0}, near_the_end}) {
    expect_explained<mpmc>(1, first, 0, {"rrr", "sss"}, slack::turn);
    expect_explained<mpmc>(2, first, 1, {"sr", "sr", "sr"}, slack::turn);
    expect_explained<mpmc>(2, first, 0, {"ss", "rr", "rr"}, slack::turn);
    expect_explained<mpmc>(4, first, 0, {"ss", "ss"}, slack::turn);
    expect_explained<mpmc>(2, first, 0, {"crdo", "ss"}, slack::turn);
    expect_explained<mpmc>(2, first, 1, {"cd", "s", "rr"}, slack::turn);
  }
}

// s(end), r(eceive), a(nnounce), c(lose), w(hether ready); `got` of a send is the waiter.
struct shot_model {
  int waiter = 0;
  enum { empty, full, closed, spent } state = empty;
  bool take(const calls& all, std::uint32_t me) {
    const call& c = all[me].what;
    switch (c.what) {
      case 's':
        if (state == closed) return c.answer == sent::closed;
        state = full;
        return c.answer == sent::ok && c.got == waiter;
      case 'r':
        if (state != full) return c.got == 0;
        state = spent;
        return c.got == 7;
      case 'a':
        if (state == empty) waiter = c.message;
        return c.yes == (state == empty);
      case 'w': return c.yes == (state == full);
      default: {  // 'c'
        const bool last = state == full || state == spent;
        state = last ? spent : closed;
        return c.yes == last;
      }
    }
  }
};

void make(leat::channels::one_shot<simulated, int>& channel, call& c) {
  switch (c.what) {
    case 's': {
      const auto answer = channel.try_send(7);
      c.answer = answer.result;
      c.got = static_cast<int>(answer.waiter);
      break;
    }
    case 'r': c.got = channel.try_receive().value_or(0); break;
    case 'a': c.yes = channel.announce(std::uintptr_t{static_cast<unsigned>(c.message)}); break;
    case 'w': c.yes = channel.ready(); break;
    default: c.yes = channel.close(); break;
  }
}

TEST(every_schedule, one_shot) {
  for (const std::string script : {"waarrw", "aarc", "wrac", "arw", "ac", "c"}) {
    SCOPED_TRACE(script);
    calls all;
    in_every_schedule([&] {
      all.clear();
      leat::channels::one_shot<simulated, int> channel;
      simulated::thread sender([&] { all.make({'s'}, [&](call& c) { make(channel, c); }); });
      int announced = 0;
      for (const char letter : script) {
        all.make({letter, letter == 'a' ? announced += 8 : 0}, [&](call& c) { make(channel, c); });
      }
      sender.join();
      if (!all.explained_by(shot_model())) fail_here("no order explains the answers");
    });
  }
}

// ONESHOT-7: all who announced are told, in one chain; who was not, knows.
TEST(every_schedule, one_shot_for_several) {
  struct alignas(8) waiter {
    waiter* next = nullptr;
    bool announced = false;
    bool told = false;
  };
  in_every_schedule([] {
    leat::channels::one_shot<simulated, int> channel;
    std::array<waiter, 2> waiters;
    simulated::thread sender([&] {
      for (auto* w = reinterpret_cast<waiter*>(channel.try_send(7).waiter); w != nullptr; w = w->next) w->told = true;
    });
    const auto announce = [&](waiter& w) {
      w.announced = channel.announce_among(&w);
      if (!w.announced) leat_test::expect_here(channel.message() == 7, "the message is there");
    };
    simulated::thread other([&] { announce(waiters[1]); });
    announce(waiters[0]);
    other.join();
    sender.join();
    for (const waiter& w : waiters) leat_test::expect_here(w.announced == w.told, "told, or knows");
  });
}

// MAILBOX-1 to MAILBOX-4: whoever is told to receives until nothing is left. One does at a time, it misses nothing, and
// each sender's messages come in order. There is room for all: who waits for some does so in endless schedules.
void expect_nothing_left(std::size_t senders, std::size_t each, std::uint32_t first) {
  SCOPED_TRACE(std::to_string(senders) + " senders of " + std::to_string(each));
  in_every_schedule([&] {
    leat::channels::mailbox<simulated, std::size_t> channel(4, first);
    std::array<std::size_t, 3> received{};
    simulated::atomic<int> step{0};
    bool at_it = false;
    const auto be_at_it = [&] {
      leat_test::expect_here(!std::exchange(at_it, true), "two receive at once");
      static_cast<void>(step.load(leat::platform::relaxed));  // others may come here
      at_it = false;
    };
    const auto play = [&](std::size_t me) {
      for (std::size_t n = 0; n < each; ++n) {
        if (!channel.send(me * each + n)) continue;
        be_at_it();
        while (const auto got = channel.receive()) {
          leat_test::expect_here(received[*got / each]++ == *got % each, "a message is out of order");
          be_at_it();
        }
      }
    };
    std::array<simulated::thread, 3> threads;
    for (std::size_t t = 1; t < senders; ++t) threads[t] = simulated::thread([&, t] { play(t); });
    play(0);
    for (std::size_t t = 1; t < senders; ++t) threads[t].join();
    for (std::size_t t = 0; t < senders; ++t) leat_test::expect_here(received[t] == each, "a message is left alone");
  });
}

TEST(every_schedule, mailbox) {
  for (const std::uint32_t first : {std::uint32_t{0}, ~std::uint32_t{0} - 1}) {
    expect_nothing_left(2, 2, first);
    expect_nothing_left(3, 1, first);
  }
}

}  // namespace
