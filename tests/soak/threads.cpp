// User-level threads and bubbles.
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "leat/bubble.hpp"
#include "leat/thread.hpp"
#include "operations.hpp"

namespace soak {

namespace {

struct refused {
  std::uint64_t number;
};

leat::run_threads_options drawn_machine(draws& numbers) {
  constexpr std::array machines = {"pu:1", "pu:4", "core:2 pu:2", "numa:2 core:2 pu:1"};
  return {.machine = machines[numbers.below(machines.size())]};
}

std::uint64_t forked(std::uint64_t n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([n] { return forked(n - 1); }, [n] { return forked(n - 2); });
  return a + b;
}

/// What the threads of one call share. The mutex guards the counts.
struct shared {
  explicit shared(std::uint64_t threads) : meeting(static_cast<std::uint32_t>(threads)) {}

  leat::mutex gate;
  leat::condition all_came;
  leat::thread_barrier meeting;
  std::uint64_t rounds = 0;
  std::uint64_t came = 0;
};

void live(shared& all, std::uint64_t number, std::uint64_t threads, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i < rounds; ++i) {
    {
      const std::lock_guard lock(all.gate);
      ++all.rounds;
    }
    if ((i + number) % 3 == 0) leat::thread::yield();
    all.meeting.arrive_and_wait();
    if (number % 5 == 0) expect(forked(8), 21, "forks in a user-level thread");
  }
  std::unique_lock lock(all.gate);
  if (++all.came == threads) all.all_came.notify_all();
  while (all.came != threads) all.all_came.wait(all.gate);
  lock.unlock();
  if (number % 4 == 1) throw refused{number};
}

}  // namespace

void user_threads(scene& s) {
  const std::uint64_t threads = s.size(60) + 1;
  const std::uint64_t rounds = s.numbers.between(1, 8);
  const auto options = drawn_machine(s.numbers);
  const std::uint64_t ended = leat::run_threads(
      [=] {
        shared all(threads);
        std::vector<leat::thread> handles;
        for (std::uint64_t i = 0; i < threads; ++i)
          handles.emplace_back([&all, i, threads, rounds] { live(all, i, threads, rounds); });
        std::uint64_t joined = 0;
        for (std::uint64_t i = 0; i < threads; ++i) {
          try {
            handles[i].join();
            if (i % 4 == 1) fail("a user-level thread has thrown, and its join has not");
          } catch (const refused& e) {
            expect(e.number, i, "what a user-level thread threw");
          }
          ++joined;
        }
        expect(all.rounds, threads * rounds, "what user-level threads counted under a mutex");
        return joined;
      },
      options);
  expect(ended, threads, "user-level threads that were joined");
  s.book.parts(kind::threads, threads + 1);
}

void user_bubbles(scene& s) {
  const std::uint64_t bubbles = s.numbers.between(1, 6);
  const std::uint64_t each = s.size(20);
  const auto options = drawn_machine(s.numbers);
  const leat::bubble_options how{.members = s.numbers.once_in(2) ? leat::affinity::data : leat::affinity::none};
  leat::run_threads(
      [=] {
        std::uint64_t ran = 0;
        leat::mutex gate;
        const auto body = [&] {
          leat::thread::yield();
          const std::lock_guard lock(gate);
          ++ran;
        };
        leat::bubble outer;
        std::vector<std::unique_ptr<leat::bubble>> inner;
        for (std::uint64_t b = 0; b < bubbles; ++b) {
          inner.push_back(std::make_unique<leat::bubble>(how));
          for (std::uint64_t i = 0; i < each; ++i) inner.back()->spawn(body);
          outer.insert(*inner.back());
        }
        leat::thread kept(leat::held, body), late(leat::held, body);
        outer.insert(kept);
        outer.wake();
        outer.insert(late);
        inner.back()->spawn(body);
        outer.join();
        for (const auto& b : inner) b->join();
        kept.join();
        late.join();
        expect(ran, bubbles * each + 3, "threads in bubbles");
      },
      options);
  s.book.parts(kind::bubbles, bubbles * each + 4);
}

}  // namespace soak
