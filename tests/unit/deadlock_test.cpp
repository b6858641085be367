// Waits that need each other in a circle: one of them throws leat::deadlock, and all others end.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "needs.hpp"

namespace {

using leat::task::wait;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;

std::vector<shape> worker_shapes() { return leat_test::worker_shapes({1, 2, 8}); }

// What tasks wait for that need what is made after them.
class signal {
 public:
  void give() { given_ = true; }
  void await() const {
    while (!given_) {
      engine::poll();
      std::this_thread::yield();
    }
  }

 private:
  std::atomic<bool> given_{false};
};

template <class F>
bool is_deadlock(F f) {
  try {
    f();
    return false;
  } catch (const leat::deadlock&) {
    return true;
  }
}

// Calls f and, where the machine lets it, has another worker call g.
template <class F, class G>
void apart(const shape& s, F f, G g) {
  signal begun;
  engine::fork_join(
      [&] {
        if (s.workers > 1) begun.await();
        f();
      },
      [&] {
        begun.give();
        g();
      });
}

TEST(deadlock, of_a_future_with_itself) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (const wait how : {wait::own, wait::any}) {
      e.run([how] {
        signal made;
        std::optional<engine::shared_future<int>> own;
        own = engine::async([&] {
                made.await();
                return own->get(how);
              }).share();
        made.give();
        EXPECT_TRUE(is_deadlock([&] { own->get(); }));
      });
    }
  });
}

TEST(deadlock, of_a_future_with_itself_by_a_fork_that_another_executes) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape& s) {
    e.run([&s] {
      signal made;
      std::optional<engine::shared_future<int>> own;
      own = engine::async([&] {
              made.await();
              apart(s, [] {}, [&] { own->get(); });
              return 1;
            }).share();
      made.give();
      EXPECT_TRUE(is_deadlock([&] { own->get(); }));
    });
  });
}

TEST(deadlock, of_a_future_with_itself_by_a_group) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (const wait how : {wait::own, wait::any}) {
      e.run([how] {
        signal made;
        std::optional<engine::shared_future<int>> own;
        own = engine::async([&] {
                made.await();
                engine::task_group group;
                group.spawn([&] { own->get(); });
                group.wait(how);
                return 1;
              }).share();
        made.give();
        EXPECT_TRUE(is_deadlock([&] { own->get(); }));
      });
    }
  });
}

TEST(deadlock, of_a_circle_of_futures) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (const std::size_t length : {2u, 3u, 7u}) {
      for (const wait how : {wait::own, wait::any}) {
        e.run([how, length] {
          signal made;
          std::vector<engine::shared_future<int>> circle;
          for (std::size_t i = 0; i < length; ++i) {
            circle.push_back(engine::async([&circle, &made, how, next = (i + 1) % length] {
                               made.await();
                               return circle[next].get(how);
                             }).share());
          }
          made.give();
          for (const auto& f : circle) EXPECT_TRUE(is_deadlock([&] { f.get(); }));
        });
      }
    }
  });
}

// Each of two runs has a task that waits for the other's. Their roots and their tasks need a worker each.
TEST(deadlock, of_two_runs) {
  engine e({4});
  for (int round = 0; round < reps(10); ++round) {
    std::optional<engine::shared_future<int>> first, second;
    signal first_made, second_made;
    const auto deadlock_in = [&e](auto& own, signal& made, const auto& other, const signal& other_made) {
      return e.run([&] {
        own = engine::async([&] {
                other_made.await();
                return other->get();
              }).share();
        made.give();
        return is_deadlock([&] { own->get(); });
      });
    };
    bool of_first = false;
    std::thread thread([&] { of_first = deadlock_in(first, first_made, second, second_made); });
    EXPECT_TRUE(deadlock_in(second, second_made, first, first_made));
    thread.join();
    EXPECT_TRUE(of_first);
  }
}

TEST(deadlock, of_a_group_with_itself) {
  on_each_shape<engine>(leat_test::worker_shapes({1}), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group group;
      group.spawn([&group] { group.wait(); });
      EXPECT_TRUE(is_deadlock([&] { group.wait(); }));
      group.spawn([] {});
      group.wait();
    });
  });
}

// A task of the outer group waits for an inner one, a task of which waits for the outer one: it is the one that is left, as
// the others' frames have the groups.
TEST(deadlock, of_two_groups) {
  for (const std::uint64_t spin_ns : {0, 20'000}) {
    engine e({2, shape{}.deque_capacity, spin_ns});
    for (int round = 0; round < reps(10); ++round) {
      e.run([] {
        signal begun;
        engine::task_group outer;
        bool left = false, inner_told = false;
        outer.spawn([&] {
          begun.give();
          signal inner_begun;
          engine::task_group inner;
          inner.spawn([&] {
            inner_begun.give();
            left = is_deadlock([&] { outer.wait(); });
            if (left) throw std::runtime_error("left");
          });
          inner_begun.await();
          try {
            inner.wait();
          } catch (const std::runtime_error&) {
            inner_told = true;
          }
        });
        begun.await();
        outer.wait();
        EXPECT_TRUE(left);
        EXPECT_TRUE(inner_told);
      });
    }
  }
}

TEST(deadlock, is_told_only_of_circles) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape& s) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const leat_test::needs without(seed, false), with(seed, true);
      const auto how = seed % 2 == 0 ? wait::own : wait::any;
      EXPECT_EQ(e.run([&] { return leat_test::needs_run<engine>(without, s.workers)(how); }), "") << seed;
      EXPECT_EQ(e.run([&] { return leat_test::needs_run<engine>(with, s.workers)(how); }), "")
          << seed << ", with circles";
    }
  });
}

TEST(deadlock, says_which_worker_waits) {
  leat::runtime rt(leat_test::with_workers(1));
  rt.run([] {
    std::optional<leat::shared_future<int>> own;
    own = leat::async([&own] { return own->get(); }).share();
    try {
      own->get();
      ADD_FAILURE() << "no deadlock";
    } catch (const std::logic_error& e) {
      EXPECT_NE(std::string(e.what()).find("worker 0"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("future::wait"), std::string::npos) << e.what();
    }
  });
}

}  // namespace
