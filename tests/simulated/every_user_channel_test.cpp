// leat::channel with two threads and a few calls each in every schedule with two preemptions, with three and four threads,
// tasks and user-level threads in drawn ones. Each message comes out once, in its sender's order; no wake-up is lost.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "carried_worlds.hpp"
#include "every_schedule.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/task/channel.hpp"

namespace {

using leat::platform::simulated;
using leat::task::ends;
using leat_test::expect_here;
using leat_test::fail_here;
using leat_test::history;
using leat_test::in_every_schedule;

constexpr leat::task::channel_tries no_tries{.spins = 0, .yields = 0};
template <ends Senders, ends Receivers>
using channel_of = leat::task::channel<simulated, int, Senders, Receivers, no_tries>;
using pair_of_ends = channel_of<ends::one, ends::one>;
using to_one = channel_of<ends::many, ends::one>;
using from_one = channel_of<ends::one, ends::many>;
using among_many = channel_of<ends::many, ends::many>;

constexpr std::uint32_t seeds = 1500;
constexpr std::uint64_t near_the_end = ~std::uint64_t{0} - 1;

// A letter of a script: s(end), t(ry to send), r(eceive), n(ext, if one is there), c(lose).
struct call {
  char what;
  int message = 0;
  bool yes = false;  // of sends: it was sent
  int got = 0;  // 0: nothing
};
using calls = history<call>;

// A bounded queue. A call that waits takes its place in the order where it need not wait any more.
struct model {
  static constexpr std::size_t inside_max = 8;
  std::size_t capacity;
  std::array<int, inside_max> inside{};
  std::size_t count = 0;
  bool closed = false;

  bool take(const calls& all, std::uint32_t me) {
    const call& c = all[me].what;
    switch (c.what) {
      case 's':
      case 't':
        if (!c.yes) return closed || (c.what == 't' && count == capacity);
        if (closed || count == capacity) return false;
        inside[count++] = c.message;
        return true;
      case 'r':
      case 'n':
        if (c.got == 0) return count == 0 && (closed || c.what == 'n');
        if (count == 0 || inside[0] != c.got) return false;
        for (std::size_t i = 1; i < count; ++i) inside[i - 1] = inside[i];
        --count;
        return true;
      default: return closed = true;  // 'c'
    }
  }
};

template <class Channel>
void make(Channel& channel, call& c) {
  int message = c.message;
  switch (c.what) {
    case 's': c.yes = channel.send(std::move(message)); break;
    case 't': c.yes = channel.try_send(std::move(message)); break;
    case 'r': c.got = channel.receive().value_or(0); break;
    case 'n': c.got = channel.try_receive().value_or(0); break;
    default: channel.close(); break;
  }
}

template <class Channel>
void expect_explained(std::size_t capacity, std::uint64_t first, const std::vector<std::string>& scripts) {
  std::string story = "capacity " + std::to_string(capacity) + ":";
  for (const std::string& s : scripts) story += " " + s;
  SCOPED_TRACE(story);
  calls all;
  const auto world = [&] {
    all.clear();
    Channel channel(capacity, first);
    int messages = 0;
    const auto play = [&](char letter) {
      const bool sends = letter == 's' || letter == 't';
      all.make({letter, sends ? ++messages : 0}, [&](call& made) { make(channel, made); });
    };
    std::array<simulated::thread, 4> threads;
    for (std::size_t t = 1; t < scripts.size(); ++t) {
      threads[t] = simulated::thread([&, t] {
        for (const char letter : scripts[t]) play(letter);
      });
    }
    for (const char letter : scripts[0]) play(letter);
    for (std::size_t t = 1; t < scripts.size(); ++t) threads[t].join();
    play('c');
    for (std::size_t i = 0; i <= capacity; ++i) play('r');  // what is left
    if (all.explained_by(model{capacity})) return;
    std::string told = "no order explains:";
    for (std::size_t i = 0; i < all.size(); ++i) {
      const call& c = all[i].what;
      told += std::string(" ") + c.what + std::to_string(c.message + c.got) + (c.yes ? "yes" : "") + "[" +
              std::to_string(all[i].begun) + "-" + std::to_string(all[i].ended) + "]";
    }
    fail_here(told);
  };
  // Two threads in every schedule. Of three, two may spin for ever in turn while a lock's holder stands still; so they have
  // drawn ones.
  if (scripts.size() == 2) {
    in_every_schedule(world, 2);
    return;
  }
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    leat::platform::at_random drawn(seed, 1u << seed % 6);
    leat::platform::simulation::settings settings;
    settings.on = leat::platform::machine::even();
    settings.steps_max = 1'000'000;
    settings.stack_bytes = std::size_t{1} << 16;
    const auto end = leat::platform::simulation(settings, drawn).run(world);
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
  }
}

TEST(every_user_channel, one_to_one) {
  for (const std::uint64_t first : {std::uint64_t{0}, near_the_end}) {
    expect_explained<pair_of_ends>(1, first, {"sss", "rrr"});
    expect_explained<pair_of_ends>(2, first, {"sssc", "rrrr"});
    expect_explained<pair_of_ends>(1, first, {"stt", "nnn"});
    // A third thread closes: no message is lost, and none is taken afterwards.
    expect_explained<pair_of_ends>(1, first, {"ss", "rr", "c"});
    expect_explained<pair_of_ends>(1, first, {"tt", "nr", "c"});
  }
}

TEST(every_user_channel, many_to_one) {
  expect_explained<to_one>(1, 0, {"sss", "rrr"});
  for (const std::uint64_t first : {std::uint64_t{0}, near_the_end}) {
    expect_explained<to_one>(1, first, {"rrr", "ss", "s"});
    expect_explained<to_one>(1, first, {"rrcr", "ss", "s"});
    expect_explained<to_one>(2, first, {"nnn", "st", "t"});
  }
}

TEST(every_user_channel, one_to_many) {
  expect_explained<from_one>(1, 0, {"tsc", "rrn"});
  for (const std::uint64_t first : {std::uint64_t{0}, near_the_end}) {
    expect_explained<from_one>(1, first, {"sss", "rr", "r"});
    expect_explained<from_one>(1, first, {"sc", "rr", "rr"});
    expect_explained<from_one>(2, first, {"tst", "rn", "n"});
  }
}

TEST(every_user_channel, many_to_many) {
  expect_explained<among_many>(1, 0, {"sst", "rrn"});
  for (const std::uint64_t first : {std::uint64_t{0}, near_the_end}) {
    expect_explained<among_many>(1, first, {"sr", "sr", "sr"});
    expect_explained<among_many>(1, first, {"s", "s", "r", "r"});
    expect_explained<among_many>(1, first, {"c", "ss", "r", "r"});
    expect_explained<among_many>(2, first, {"tn", "tn", "sn"});
  }
}

// -- tasks and user-level threads ---------------------------------------------------------------------------------------

namespace carrying = leat_test::carrying;
using leat_test::carrying::in_run;
using leat_test::carrying::in_world;
using carried_on = leat_test::carrying::on;
using leat_test::client::engine;

// What receivers of a channel have had: each message once, and each sender's in order, as far as one receiver sees.
class receipts {
 public:
  static constexpr int per_sender = 16;  // numbers of a sender's messages begin at a multiple of it

  explicit receipts(std::size_t messages) : times_(messages) {}

  template <class Channel>
  void receive_all(Channel& channel, leat::task::wait how = leat::task::wait::own) {
    std::vector<int> last(times_.size() / per_sender, -1);
    while (const std::optional<int> m = channel.receive(how)) {
      auto& before = last[static_cast<std::size_t>(*m / per_sender)];
      carrying::expect(before < *m, "a sender's messages are out of order");
      before = *m;
      ++times_[static_cast<std::size_t>(*m)];
    }
  }

  void expect_all(std::size_t senders, std::size_t each) const {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const bool sent = i / per_sender < senders && i % per_sender < each;
      carrying::expect(times_[i] == (sent ? 1 : 0), "a message was received not once");
    }
  }

 private:
  std::vector<int> times_;
};

template <class Channel>
void send_all(Channel& channel, int sender, int each) {
  for (int i = 0; i < each; ++i) carrying::expect(channel.send(sender * receipts::per_sender + i), "it is open");
}

// The worker that makes the tasks goes on to receive, and answers the thieves that take them from it. So no worker hangs.
TEST(user_channel_worlds, of_tasks_with_a_worker_each) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::uint32_t workers = 2 + seed % 3;
    in_run(seed, carrying::shape_with(workers, seed), [&] {
      const int senders = static_cast<int>(workers) - 1, each = 4;
      among_many channel(1 + seed % 2);
      receipts all(static_cast<std::size_t>(senders) * receipts::per_sender);
      simulated::atomic<int> missing{senders};
      engine::task_group group;
      for (int s = 0; s < senders; ++s) {
        group.spawn([&, s] {
          send_all(channel, s, each);
          if (missing.fetch_sub(1, leat::platform::acq_rel) == 1) channel.close();  // acq_rel: the last one closes
        });
      }
      all.receive_all(channel);
      group.wait();
      all.expect_all(static_cast<std::size_t>(senders), each);
    });
  }
}

// wait::any: one worker may have all of them, since no sender waits for what lies beneath: there is room.
TEST(user_channel_worlds, of_tasks_that_run_others_meanwhile) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    in_run(seed, carrying::shape_with(1 + seed % 3, seed), [&] {
      constexpr int senders = 3, each = 3;
      among_many channel(senders * each);
      receipts all(senders * receipts::per_sender);
      engine::task_group group;
      simulated::atomic<int> missing{senders};
      for (int s = 0; s < senders; ++s) {
        group.spawn([&, s] {
          send_all(channel, s, each);
          if (missing.fetch_sub(1, leat::platform::acq_rel) == 1) channel.close();  // acq_rel: the last one closes
        });
      }
      all.receive_all(channel, leat::task::wait::any);
      group.wait();
      all.expect_all(senders, each);
    });
  }
}

// A thread that waits leaves its worker: one worker carries both ends.
TEST(user_channel_worlds, of_threads_that_leave_their_workers) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::uint32_t workers = 1 + seed % 3;
    in_world(seed, workers, leat_test::machine_of(workers), [&] {
      constexpr int senders = 2, each = 4;
      among_many channel(1 + seed % 2);
      pair_of_ends back(1);
      receipts all(senders * receipts::per_sender);
      std::vector<carried_on::thread> sending;
      for (int s = 0; s < senders; ++s) sending.emplace_back([&, s] { send_all(channel, s, each); });
      carried_on::thread receiving([&] {
        all.receive_all(channel);
        carrying::expect(back.send(7), "it is open");
      });
      carried_on::thread waiting([&] { carrying::expect(back.receive() == 7, "another message"); });
      for (auto& t : sending) t.join();
      channel.close();
      receiving.join();
      waiting.join();
      all.expect_all(senders, each);
    });
  }
}

// Threads outside, tasks that have a group in hand, and threads, at one channel. A runtime ends as soon as its run has.
TEST(user_channel_worlds, of_all_kinds_at_once) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    leat::platform::at_random drawn(seed, 1u << seed % 6);
    leat::platform::simulation::settings settings;
    settings.steps_max = 20'000'000;
    const auto end = leat::platform::simulation(settings, drawn).run([&] {
      constexpr int senders = 3, each = 3;
      among_many channel(1);
      receipts all(senders * receipts::per_sender);
      simulated::thread outside([&] { send_all(channel, 0, each); });
      {
        engine e(carrying::shape_with(2 + seed % 2, seed));
        e.run([&] {
          carried_on::run_on("pu:2", [&] {
            carried_on::thread carried([&] { send_all(channel, 1, each); });
            carried_on::thread stays([&] {
              engine::task_group group;  // it cannot leave its worker
              send_all(channel, 2, each);
            });
            carried_on::thread receiving([&] { all.receive_all(channel); });
            carried.join();
            stays.join();
            outside.join();
            channel.close();
            receiving.join();
          });
        });
      }
      all.expect_all(senders, each);
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
  }
}

// A thread outside tells the worker, whose runtime ends at once: it must not be touched afterwards.
TEST(user_channel_worlds, outlive_runtimes) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    leat::platform::at_random drawn(seed, 1u << seed % 6);
    leat::platform::simulation::settings settings;
    settings.steps_max = 20'000'000;
    const auto end = leat::platform::simulation(settings, drawn).run([&] {
      pair_of_ends channel(1);
      simulated::thread outside([&] { carrying::expect(channel.send(7), "it is open"); });
      {
        engine e(carrying::shape_with(1, seed));
        e.run([&] { carrying::expect(channel.receive() == 7, "another message"); });
      }
      outside.join();
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
  }
}

}  // namespace
