// Bubbles: what is in them runs once, where it should, however they are filled, woken, moved and ended.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "carried.hpp"

namespace {

using leat::bubbles::affinity;
using leat::threads::bubble_options;
using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;

TEST(bubbles, run_all_that_is_in_them_nested_before_and_after_waking) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    for (int round = 0; round < reps(20); ++round) {
      std::atomic<int> ran{0};
      on::run(e, machine_of(s.workers), [&] {
        const auto body = [&] {
          on::thread::yield();
          ++ran;
        };
        typename on::bubble outer;
        std::array<typename on::bubble, 4> inner;
        for (auto& b : inner) {
          for (int i = 0; i < 3; ++i) b.spawn(body);
          outer.insert(b);
        }
        outer.spawn(body);
        typename on::thread kept(on::held, body), late(on::held, body);
        outer.insert(kept);
        outer.wake();
        outer.insert(late);
        inner[2].spawn(body);
        typename on::bubble last;
        last.spawn(body);
        outer.insert(last);
        outer.join();
        EXPECT_EQ(ran, 12 + 1 + 2 + 1 + 1);
        for (auto& b : inner) b.join();
        last.join();
        kept.join();
        late.join();
      });
    }
  });
}

TEST(bubbles, keep_their_threads_in_the_domain_where_they_burst) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({8}), [](engine& e, const shape&) {
    const bubble_options where{.burst_level = "numa"};
    on::run(e, "numa:4 core:2 pu:1", [&] {
      std::array<std::set<leat::topology::unit_id>, 8> nodes;
      std::array<typename on::mutex, 8> gates;
      std::vector<std::unique_ptr<typename on::bubble>> all;
      for (std::size_t b = 0; b < nodes.size(); ++b) {
        all.push_back(std::make_unique<typename on::bubble>(where));
        for (int i = 0; i < 3; ++i) {
          all.back()->spawn([&, b] {
            for (int k = 0; k < 10; ++k) {
              {
                const std::lock_guard lock(gates[b]);
                nodes[b].insert(on::unit() / 2);
              }
              on::thread::yield();
            }
          });
        }
        all.back()->wake();
      }
      for (auto& b : all) b->join();
      const auto counts = on::home().counts();
      EXPECT_LE(counts.bursts - nodes.size(), counts.moves) << "unburst bubbles move, too (REGENERATION-1)";
      std::size_t seen = 0;
      for (const auto& n : nodes) seen += n.size();
      EXPECT_LE(seen, nodes.size() + counts.moves) << "one domain each, and another where an idle unit took it over";
    });
  });
}

TEST(bubbles, burst_at_the_level_that_fits_their_threads) {
  using on = leat_test::carried<engine>;
  engine e(shape{1});
  on::run(e, "numa:2 core:2 pu:2", [] {
    const auto downs = [](bubble_options o, int threads) {
      const auto before = on::home().counts().down;
      typename on::bubble b(o);
      for (int i = 0; i < threads; ++i) b.spawn([] {});
      b.wake();
      b.join();
      return on::home().counts().down - before;
    };
    EXPECT_EQ(downs({}, 8), 0u);
    EXPECT_EQ(downs({}, 5), 0u);
    EXPECT_EQ(downs({}, 4), 1u);
    EXPECT_EQ(downs({}, 2), 2u);
    EXPECT_EQ(downs({}, 1), 3u);
    EXPECT_EQ(downs({.members = affinity::none}, 1), 0u);
    EXPECT_EQ(downs({.members = affinity::symbiosis}, 4), 2u);
    EXPECT_EQ(downs({.burst_level = "machine"}, 1), 0u);
    EXPECT_EQ(downs({.burst_level = "core"}, 8), 2u);
    EXPECT_EQ(downs({.burst_level = "pu"}, 8), 3u);
  });
}

// The paper's Figure 1: bubbles of a lower priority than threads wait until these are done.
TEST(bubbles, of_lower_priority_burst_when_threads_are_done) {
  using on = leat_test::carried<engine>;
  engine e(shape{1});
  std::string order;
  on::run(e, "pu:1", [&] {
    std::array<std::unique_ptr<typename on::bubble>, 3> pairs;
    char name = 'a';
    for (auto& p : pairs) {
      p = std::make_unique<typename on::bubble>(bubble_options{.priority = -1});
      for (int i = 0; i < 2; ++i) {
        p->spawn([&order, name] {
          order += name;
          on::thread::yield();
          order += name;
        });
      }
      p->wake();
      ++name;
    }
    for (auto& p : pairs) p->join();
  });
  EXPECT_EQ(order, "aaaabbbbcccc") << "one gang after the other";
}

TEST(bubbles, take_turns_when_their_slices_are_over) {
  using on = leat_test::carried<engine>;
  engine e(shape{1});
  std::string order;
  on::run(e, "pu:1", [&] {
    std::array<std::unique_ptr<typename on::bubble>, 2> gangs;
    char name = 'a';
    for (auto& g : gangs) {
      g = std::make_unique<typename on::bubble>(bubble_options{.priority = -1, .slice_us = 1});
      for (int i = 0; i < 2; ++i) {
        g->spawn([&, name] {
          for (int k = 0; k < 3; ++k) {
            order += name;
            engine::platform::sleep_ns(2'000);
            on::thread::yield();
          }
        });
      }
      g->wake();
      ++name;
    }
    for (auto& g : gangs) g->join();
    EXPECT_GT(on::home().counts().recalls, 0u);
  });
  EXPECT_EQ(order.size(), 12u);
  EXPECT_EQ(order.substr(0, 2), "ab") << "the first gang makes room after its first slice";
}

// REGENERATION-3: who never yields makes room when it polls; not inside a fork, which knows the worker, and not without
// a slice.
TEST(bubbles, end_their_slices_where_threads_poll) {
  using on = leat_test::carried<engine>;
  engine e(shape{1});
  constexpr int polls_max = 10'000;
  const auto polls_until = [](const bool& told) {
    for (int polls = 0; polls < polls_max && !told; ++polls) {
      engine::platform::sleep_ns(500);
      engine::poll();
    }
    return told;
  };
  for (const std::uint64_t slice_us : {0u, 1u}) {
    bool told = false, told_inside = false, told_after = false;
    on::run(e, "pu:1", [&] {
      typename on::bubble polls(bubble_options{.slice_us = slice_us}), tells(bubble_options{.slice_us = slice_us});
      polls.spawn([&] {
        const auto none = [] {};
        const auto inside = [&] {
          for (int i = 0; i < 100; ++i) {
            engine::platform::sleep_ns(500);
            engine::poll();
          }
          told_inside = told;
        };
        engine::fork_join(inside, none);
        told_after = polls_until(told);
      });
      tells.spawn([&] { told = true; });
      polls.wake();
      tells.wake();
      polls.join();
      tells.join();
      EXPECT_EQ(on::home().counts().recalls, slice_us == 0 ? 0u : 1u);
    });
    EXPECT_FALSE(told_inside);
    EXPECT_EQ(told_after, slice_us != 0);
  }
}

// BUBBLE-5: a wait that is over at once closes the bubble of the only one that executes, which goes on in it, and back
// at its next poll.
TEST(bubbles, have_back_who_goes_on_in_them_when_they_have_closed) {
  using on = leat_test::carried<engine>;
  engine e(shape{2});
  std::atomic<bool> first_runs{false}, others_run{false}, other_done{false}, first_done{false};
  bool saw_other = false;
  on::run(e, "pu:2", [&] {
    typename on::thread ended([] {});
    typename on::bubble sliced(bubble_options{.burst_level = "machine", .slice_us = 1});
    typename on::bubble others(bubble_options{.burst_level = "machine"});
    sliced.spawn([&] {
      first_runs = true;
      while (!others_run) engine::platform::relax();
      ended.join();
      for (int polls = 0; polls < 10'000 && !other_done; ++polls) {
        engine::platform::sleep_ns(500);
        engine::poll();
      }
      saw_other = other_done;
      first_done = true;
    });
    sliced.spawn([&] {
      while (!first_runs) engine::platform::relax();
      engine::platform::sleep_ns(2'000'000);
      engine::poll();
    });
    others.spawn([&] {
      others_run = true;
      while (!other_done && !first_done) engine::platform::relax();
    });
    others.spawn([&] { other_done = true; });
    sliced.wake();
    others.wake();
    sliced.join();
    others.join();
  });
  EXPECT_TRUE(saw_other);
}

TEST(bubbles, lose_nobody_when_slices_end_while_threads_block_run_and_end) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    std::atomic<int> ran{0};
    const int rounds = reps(30);
    on::run(e, machine_of(s.workers), [&] {
      std::vector<std::unique_ptr<typename on::bubble>> gangs;
      std::vector<std::unique_ptr<typename on::bubble>> parts;
      std::vector<std::unique_ptr<typename on::barrier>> barriers;
      for (int g = 0; g < 3; ++g) {
        gangs.push_back(std::make_unique<typename on::bubble>(bubble_options{.slice_us = 1}));
        barriers.push_back(std::make_unique<typename on::barrier>(4));
        for (int p = 0; p < 2; ++p) {
          parts.push_back(std::make_unique<typename on::bubble>());
          for (int i = 0; i < 2; ++i) {
            parts.back()->spawn([&, meets = barriers.back().get(), polls = i == 0] {
              for (int k = 0; k < rounds; ++k) {
                if (polls) engine::poll();
                else on::thread::yield();
                meets->arrive_and_wait();
              }
              ++ran;
            });
          }
          gangs.back()->insert(*parts.back());
        }
        gangs.back()->wake();
      }
      for (auto& g : gangs) g->join();
    });
    EXPECT_EQ(ran, 12);
  });
}

// REGENERATION-2: a thread that does not give way makes another one in its bubble, which has burst on one unit.
TEST(bubbles, widen_for_a_unit_that_is_idle) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({2}), [](engine& e, const shape&) {
    on::run(e, "pu:2", [] {
      typename on::bubble b;
      std::atomic<bool> ran{false};
      b.spawn([&] {
        b.spawn([&] { ran = true; });
        EXPECT_TRUE(leat_test::comes_true([&] { return ran.load(); })) << "a unit is idle beside a thread that waits";
      });
      b.wake();
      b.join();
      EXPECT_EQ(on::home().counts().widenings, 1u);
    });
  });
}

// REGENERATION-1: a bubble waits on a unit that another one keeps, when the other unit falls idle.
TEST(bubbles, move_to_a_unit_that_falls_idle) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({2}), [](engine& e, const shape&) {
    on::run(e, "pu:2", [] {
      const bubble_options alone{.burst_level = "pu"};
      std::atomic<bool> busy{false}, go{false}, moved{false};
      typename on::thread keeps([&] {
        busy = true;
        EXPECT_TRUE(leat_test::comes_true([&] { return go.load(); }));
      });
      while (!busy) on::thread::yield();
      typename on::bubble waits(alone), runs(alone);
      waits.spawn([&] {
        while (!go) on::thread::yield();
        moved = true;
      });
      runs.spawn([&] {
        go = true;
        EXPECT_TRUE(leat_test::comes_true([&] { return moved.load(); })) << "a unit is idle beside a bubble that waits";
      });
      waits.wake();
      runs.wake();
      runs.join();
      waits.join();
      keeps.join();
      EXPECT_EQ(on::home().counts().moves, 1u);
    });
  });
}

TEST(bubbles, say_what_is_wrong) {
  using on = leat_test::carried<engine>;
  EXPECT_THROW(typename on::bubble(), std::logic_error) << "outside of run_threads";
  engine e(shape{2});
  on::run(e, "numa:2 pu:1", [] {
    typename on::bubble a, b, c, empty;
    EXPECT_THROW(a.insert(a), std::logic_error) << "inside itself";
    a.insert(b);
    EXPECT_THROW(b.insert(a), std::logic_error) << "inside itself by another";
    EXPECT_THROW(c.insert(b), std::logic_error) << "two parents";
    EXPECT_THROW(a.insert(b), std::logic_error) << "twice";
    EXPECT_THROW(b.wake(), std::logic_error) << "the one around it does";
    typename on::thread t(on::held, [] {}), free([] {});
    a.insert(t);
    EXPECT_THROW(c.insert(t), std::logic_error) << "a thread in two parents";
    EXPECT_THROW(c.insert(free), std::logic_error) << "a thread that was started";
    EXPECT_THROW(a.join(), std::logic_error) << "it would wait for ever";
    a.wake();
    EXPECT_THROW(a.wake(), std::logic_error) << "woken twice";
    EXPECT_THROW(c.insert(a), std::logic_error) << "woken";
    a.join();
    EXPECT_THROW(a.insert(c), std::logic_error) << "finished";
    EXPECT_THROW(a.spawn([] {}), std::logic_error) << "finished";
    empty.wake();
    empty.join();
    t.join();
    free.join();
    try {
      typename on::bubble d(bubble_options{.burst_level = "core"});
      ADD_FAILURE() << "the machine has no cores";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(),
                std::string("leat::bubble: burst_level \"core\": the machine has none; it has machine, numa, pu"));
    }
    for (const double work : {-1.0, HUGE_VAL, std::nan("")})
      EXPECT_THROW(typename on::bubble(bubble_options{.work = work}), std::invalid_argument) << work;
  });
}

// Deep trees: a look-up reads one word of each level.
TEST(bubbles, go_down_deep_trees) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({8}), [](engine& e, const shape&) {
    on::run(e, "group:4 numa:4 l3:4 core:4 pu:2", [] {
      std::atomic<int> ran{0};
      const auto nest = [&](const auto& again, typename on::bubble& into, int depth) -> void {
        for (int i = 0; i < 2; ++i) {
          if (depth == 0) {
            into.spawn([&] { ++ran; });
            continue;
          }
          typename on::bubble inner;
          into.insert(inner);
          again(again, inner, depth - 1);
          inner.join();
        }
      };
      typename on::bubble root;
      root.wake();
      nest(nest, root, 4);
      root.join();
      EXPECT_EQ(ran, 32);
    });
  });
}

}  // namespace
