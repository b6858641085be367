// blocking(): another worker takes the place of one that blocks, whose tasks stay stealable.
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::comes_true;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

/// A pipe: whoever reads a byte blocks until somebody writes one.
class gate {
 public:
  gate() {
    if (pipe(ends_.data()) != 0) throw std::runtime_error("pipe");
  }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() {
    close(ends_[0]);
    close(ends_[1]);
  }
  char pass() const {
    char byte = 0;
    while (read(ends_[0], &byte, 1) != 1) {
    }
    return byte;
  }
  void open(char byte = 'x') const {
    while (write(ends_[1], &byte, 1) != 1) {
    }
  }

 private:
  std::array<int, 2> ends_{};
};

// -- what it gives back

TEST(blocking, gives_what_f_gives) {
  using E = engine;
  E e(shape{2});
  int there = 3;
  e.run([&] {
    EXPECT_EQ(E::blocking([] { return 7; }), 7);
    E::blocking([&] { there = 4; });
    static_assert(std::is_void_v<decltype(E::blocking([] {}))>);
    int& same = E::blocking([&]() -> int& { return there; });
    EXPECT_EQ(&same, &there);
    std::unique_ptr<int> only = E::blocking([p = std::make_unique<int>(5)]() mutable { return std::move(p); });
    EXPECT_EQ(*only, 5);
    struct pinned {
      explicit pinned(int v) : value(v) {}
      pinned(const pinned&) = delete;
      int value;
    };
    EXPECT_EQ(E::blocking([] { return pinned(6); }).value, 6);
  });
  EXPECT_EQ(there, 4);
}

TEST(blocking, lets_exceptions_out_and_the_worker_back_in) {
  using E = engine;
  on_each_shape<E>(shapes({1, 3}), [](E& e, const shape&) {
    for (int i = 0; i < reps(20); ++i) {
      const int sum = e.run([] {
        auto mine = E::async([] { return 1; });
        EXPECT_THROW(E::blocking([]() -> int { throw std::out_of_range("f"); }), std::out_of_range);
        auto later = E::async([] { return 2; });
        return mine.get() + later.get();
      });
      EXPECT_EQ(sum, 3);
    }
    EXPECT_THROW(e.run([] { E::spawn([] { E::blocking([] { throw std::out_of_range("in a task"); }); }); }),
                 std::out_of_range);
    EXPECT_EQ(e.run([] { return 1; }), 1);
  });
}

TEST(blocking, makes_its_thread_a_stranger) {
  using E = engine;
  E e(shape{2});
  e.run([&] {
    auto f = E::async([] { return 1; });
    E::blocking([&] {
      EXPECT_THROW(E::spawn([] {}), leat::not_a_worker);
      EXPECT_THROW(E::barrier(), leat::not_a_worker);
      EXPECT_THROW(static_cast<void>(E::async([] { return 1; })), leat::not_a_worker);
      EXPECT_THROW(leat::task::fork_join<typename E::platform>([] {}, [] {}), leat::not_a_worker);
      E::poll();
      EXPECT_EQ(E::blocking([] { return 2; }), 2) << "inside another";
      EXPECT_THROW(E::here(), leat::not_a_worker) << "the inner one changes nothing";
      EXPECT_EQ(e.run([] { return E::blocking([] { return 3; }); }), 3) << "a run of its own";
    });
    EXPECT_EQ(f.get(), 1);
    E::spawn([] {});
    E::barrier();
  });
}

TEST(blocking, outside_a_run_only_calls) {
  EXPECT_EQ(engine::blocking([] { return 7; }), 7);
  EXPECT_THROW(engine::blocking([] { throw std::out_of_range("f"); }), std::out_of_range);
}

// -- who works meanwhile

// The writer is a task that the reader's worker has, and does not run.
TEST(blocking, leaves_its_tasks_to_others) {
  using E = engine;
  on_each_shape<E>(shapes(), [](E& e, const shape&) {
    for (int i = 0; i < reps(20); ++i) {
      const gate g;
      const char got = e.run([&] {
        E::spawn([&] { g.open('w'); });
        return E::blocking([&] { return g.pass(); });
      });
      EXPECT_EQ(got, 'w');
    }
  });
}

// The writer is forked beside the reader, by the same task or by one that is around it, in either form.
TEST(blocking, leaves_its_forks_to_others) {
  using E = engine;
  using P = typename E::platform;
  using context = leat::task::context<P>;
  on_each_shape<E>(shapes(), [](E& e, const shape&) {
    for (int i = 0; i < reps(10); ++i) {
      const gate g;
      const auto reads = [&] { return static_cast<int>(E::blocking([&] { return g.pass(); })); };
      const auto writes = [&] { return g.open(2), 3; };
      const int sum = e.run([&] {
        const auto [a, b] = leat::task::fork_join<P>(reads, writes);
        const auto [c, d] = leat::task::with_context<P>([&](context at) {
          return leat::task::fork_join<P>(
              at,
              [&](context in) {
                const auto [one, r] = leat::task::fork_join<P>(in, [](context) { return 1; }, [&] { return reads(); });
                return one * r;
              },
              [&] { return writes(); });
        });
        const auto [x, y] = leat::task::fork_join<P>(
            [&] {
              auto mine = E::async([] { return 1; });
              const auto [f, h] = leat::task::fork_join<P>([&] { return mine.get(); }, reads);
              return f * h;
            },
            writes);
        return a + b + c + d + x + y;
      });
      EXPECT_EQ(sum, 15);
    }
  });
}

TEST(blocking, leaves_its_tasks_to_the_other_workers_without_spares) {
  using E = engine;
  for (const std::uint32_t workers : {2u, 8u, 64u}) {
    for (const std::uint64_t spin : {0u, 20'000u}) {
      E e(shape{workers, 4, spin, 0});
      for (int i = 0; i < reps(20); ++i) {
        const gate g;
        // All the others may be idle already, or not yet.
        e.run([&] {
          if (i % 2 != 0) std::this_thread::yield();
          for (int k = 0; k < 10; ++k) E::spawn([] {});
          E::spawn([&] { g.open(); });
          for (int k = 0; k < 10; ++k) E::spawn([] {});
          E::blocking([&] { g.pass(); });
        });
      }
      EXPECT_EQ(e.workers_started(), workers);
    }
  }
}

// Nobody but a worker that waits for the blocked one's own work is there to execute it.
TEST(blocking, leaves_its_forks_to_who_waits_for_it) {
  using E = engine;
  using P = typename E::platform;
  for (const std::uint64_t spin : {0u, 20'000u}) {
    E e(shape{2, 1 << 13, spin, 0});
    for (int i = 0; i < reps(20); ++i) {
      const gate g;
      std::atomic<bool> begun{false};
      e.run([&] {
        leat::task::fork_join<P>([&] { EXPECT_TRUE(comes_true([&] { return E::poll(), begun.load(); })); },
                                 [&] {
                                   begun = true;
                                   leat::task::fork_join<P>([&] { E::blocking([&] { g.pass(); }); }, [&] { g.open(); });
                                 });
      });
    }
  }
}

// A thief that asks a blocked worker need not lose its patience, which is five seconds here, before it gets a task.
TEST(blocking, answers_thieves_at_once) {
  using E = engine;
  const auto start = std::chrono::steady_clock::now();
  E e(shape{2, 1 << 13, 5'000'000'000, 0}, leat::protocol::strategy::steal_one);
  const gate g;
  std::atomic<bool> stolen{false};
  std::atomic<bool> blocked{false};
  e.run([&] {
    E::spawn([&] {
      stolen = true;
      EXPECT_TRUE(comes_true([&] { return blocked.load(); }));
    });
    EXPECT_TRUE(comes_true([&] { return E::poll(), stolen.load(); }));
    E::spawn([&] { g.open(); });
    E::blocking([&] {
      blocked = true;
      g.pass();
    });
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

TEST(blocking, without_spares_and_others_still_comes_back) {
  using E = engine;
  E e(shape{1, 4, 0, 0});
  int ran = 0;
  e.run([&] {
    for (int i = 0; i < 10; ++i) {
      E::spawn([&] { ++ran; });
      E::blocking([] { std::this_thread::yield(); });
    }
  });
  EXPECT_EQ(ran, 10);
}

// So many tasks block as there are workers; then as many tasks meet, all of them begun, as workers were configured, and no
// more than that run at any time.
template <class E>
struct full_house {
  explicit full_house(std::uint32_t n) : workers(n) {}

  const std::uint32_t workers;
  const gate g;
  std::atomic<std::uint32_t> entering{0};
  std::atomic<std::uint32_t> blocked{0};
  std::atomic<std::uint32_t> met{0};
  std::atomic<int> outside{0};
  std::atomic<int> outside_most{0};
  std::atomic<int> left{200};

  void block() {
    if (++entering == workers) E::spawn([this] { meet(); });
    E::blocking([this] {
      ++blocked;
      g.pass();
    });
  }

  void meet() {
    EXPECT_TRUE(comes_true([this] { return E::poll(), blocked == workers; }));
    for (std::uint32_t i = 1; i < workers; ++i) {
      E::spawn([this] {
        ++met;
        EXPECT_TRUE(comes_true([this] { return met == workers; }));
      });
    }
    ++met;
    EXPECT_TRUE(comes_true([this] { return E::poll(), met == workers; })) << met;
    const int all = left;
    for (int i = 0; i < all; ++i) E::spawn([this] { count(); });
  }

  void count() {
    const int now = ++outside;
    for (int most = outside_most; now > most && !outside_most.compare_exchange_weak(most, now);) {
    }
    std::this_thread::yield();
    --outside;
    if (--left != 0) return;
    for (std::uint32_t k = 0; k < workers; ++k) g.open();
  }
};

TEST(blocking, leaves_as_many_workers_as_configured) {
  using E = engine;
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u, 64u}) {
    SCOPED_TRACE(workers);
    E e(shape{workers, 1 << 13, 0, 2 * workers});
    for (int round = 0; round < reps(10); ++round) {
      full_house<E> house(workers);
      e.run([&] {
        for (std::uint32_t i = 0; i < workers; ++i) E::spawn([&] { house.block(); });
      });
      EXPECT_EQ(house.left, 0);
      EXPECT_LE(house.outside_most, static_cast<int>(workers));
    }
    EXPECT_LE(e.workers_started(), 3 * workers);
  }
}

// When nobody blocks any more, spares get nothing.
TEST(blocking, sends_the_spares_to_sleep_again) {
  using E = engine;
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    E e(shape{workers});
    for (int round = 0; round < reps(30); ++round) {
      std::atomic<int> blocked{0};
      e.run([&] {
        for (std::uint32_t i = 0; i < 4 * workers; ++i) {
          E::spawn([&] {
            E::spawn([] {});
            E::blocking([&] {
              ++blocked;
              std::this_thread::yield();
            });
          });
        }
      });
      EXPECT_EQ(blocked, static_cast<int>(4 * workers));
      std::atomic<int> on_spares{0};
      e.run([&] {
        for (int i = 0; i < 200; ++i) {
          E::spawn([&] {
            if (E::here() >= workers) ++on_spares;
            std::this_thread::yield();
          });
        }
      });
      EXPECT_EQ(on_spares, 0);
    }
    EXPECT_GT(e.workers_started(), workers);
  }
}

TEST(blocking, starts_spares_only_when_they_are_needed) {
  using E = engine;
  E e(shape{3});
  e.run([] {
    for (int i = 0; i < 100; ++i) E::spawn([] {});
  });
  EXPECT_EQ(e.workers_started(), 3u);
  e.run([] {
    for (int i = 0; i < 10; ++i) E::blocking([] {});
  });
  EXPECT_EQ(e.workers_started(), 4u) << "one at a time was blocked";
}

// A chain in which each task blocks for the next: as deep as there are workers and spares.
TEST(blocking, works_on_spares_too) {
  using E = engine;
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    E e(shape{workers, 1 << 13, 0, 4});
    std::vector<std::unique_ptr<gate>> gates;
    for (std::uint32_t i = 0; i < workers + 4; ++i) gates.push_back(std::make_unique<gate>());
    struct link {
      std::vector<std::unique_ptr<gate>>& gates;
      std::size_t at;
      void operator()() const {
        if (at + 1 < gates.size()) E::spawn(link{gates, at + 1});
        if (at + 1 < gates.size()) E::blocking([this] { gates[at]->pass(); });
        if (at > 0) gates[at - 1]->open();
      }
    };
    e.run(link{gates, 0});
    EXPECT_EQ(e.workers_started(), workers + 4);
  }
}

TEST(blocking, of_all_workers_lets_another_run_begin) {
  using E = engine;
  E e(shape{2});
  const gate g;
  std::atomic<int> blocked{0};
  std::thread other([&] {
    e.run([&] {
      for (int i = 0; i < 2; ++i) {
        E::spawn([&] {
          E::blocking([&] {
            ++blocked;
            g.pass();
          });
        });
      }
    });
  });
  EXPECT_TRUE(comes_true([&] { return blocked == 2; }));
  EXPECT_EQ(e.run([] { return 5; }), 5);
  g.open();
  g.open();
  other.join();
}

TEST(blocking, goes_with_waits_and_futures) {
  using E = engine;
  on_each_shape<E>(shapes({1, 2, 8}), [](E& e, const shape&) {
    for (int i = 0; i < reps(20); ++i) {
      const gate g;
      const int sum = e.run([&] {
        auto reader = E::async([&] { return static_cast<int>(E::blocking([&] { return g.pass(); })); });
        auto writer = E::async([&] { return g.open(2), 3; });
        // With one worker the writer runs on a spare, or here beneath the reader that has begun.
        return reader.get(i % 2 == 0 ? leat::wait::own : leat::wait::any) + writer.get();
      });
      EXPECT_EQ(sum, 5);
    }
  });
}

// A wait that ends before its request is answered leaves the request out; then the worker blocks.
TEST(blocking, after_a_wait_that_left_its_request_out) {
  using E = engine;
  for (const std::uint32_t workers : {2u, 3u, 8u}) {
    for (const std::uint64_t spin : {0u, 20'000u}) {
      E e(shape{workers, 1, spin, 4});  // as many spares as tasks that may block at once
      std::atomic<int> ran{0};
      const int rounds = reps(300);
      for (int i = 0; i < rounds; ++i) {
        e.run([&] {
          for (int k = 0; k < 4; ++k) {
            E::spawn([&] {
              auto f = E::async([] { std::this_thread::yield(); });
              for (int s = 0; s < 3; ++s) E::spawn([&] { ++ran; });
              f.wait(leat::wait::any);
              const gate g;
              E::spawn([&g] { g.open(); });
              E::blocking([&] { g.pass(); });
            });
          }
        });
      }
      EXPECT_EQ(ran, 12 * rounds);
    }
  }
}

// -- a worker's own things on spares

TEST(blocking_runtime, has_objects_of_worker_local_for_spares) {
  leat::options o;
  o.workers = 1;
  leat::runtime rt(o);
  leat::worker_local<int> count(rt, 1);
  const gate g;
  rt.run([&] {
    for (int i = 0; i < 9; ++i) leat::spawn([&] { ++count.local(); });
    leat::spawn([&] {
      ++count.local();
      g.open();
    });
    ++count.local();
    leat::blocking([&] { g.pass(); });
  });
  int objects = 0;
  const int sum = count.combine(0, [&](int a, int b) { return ++objects, a + b; });
  EXPECT_EQ(sum, 11 + objects) << "each object begins at 1";
  EXPECT_EQ(objects, 2) << "the worker's and that of the spare that opened the gate";
  EXPECT_EQ(rt.workers(), 1u);
  EXPECT_EQ(rt.counters()[leat::event::tasks], 10u);
}

TEST(blocking_runtime, does_without_spares_if_told_to) {
  leat::options o;
  o.workers = 2;
  o.spares = 0;
  leat::runtime rt(o);
  const gate g;
  rt.run([&] {
    leat::spawn([&] { g.open(); });
    leat::blocking([&] { g.pass(); });
  });
}

}  // namespace
