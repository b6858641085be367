// Policies: the three that are there, and those of a program.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "bubble_parts.hpp"
#include "leat/bubble.hpp"

namespace {

using namespace leat_test;
using leat::bubbles::policy;
using leat::threads::bubble_options;
using on = carried<engine>;

constexpr std::array<std::uint32_t, 4> units{8, 4, 2, 1};

TEST(policies, decide_as_they_say) {
  const policy by_work;
  const as_published published;
  const by_affinity affine;
  const bubble_seen b{.threads = 2, .work = 2};
  EXPECT_EQ(by_work.burst_depth(b, {units, 0}), 2u);
  EXPECT_EQ(affine.burst_depth(b, {units, 0}), 2u);
  EXPECT_EQ(published.burst_depth(b, {units, 1}), 1u);
  const domain_seen own{.domain = 1, .units = 4, .load = 9, .free = 1, .is_own = true};
  const domain_seen other{.domain = 2, .units = 4, .load = 1, .free = 1};
  EXPECT_TRUE(by_work.prefers(b, other, own));
  EXPECT_FALSE(affine.prefers(b, other, own));
  EXPECT_FALSE(published.prefers(b, other, own));
  const domain_seen busy{.domain = 1, .units = 4, .load = 0, .free = 0, .is_own = true};
  EXPECT_TRUE(affine.prefers(b, other, busy));
  EXPECT_FALSE(by_work.prefers(b, other, busy)) << "less has gone down there";
  const domain_seen nobody{.domain = 2, .units = 4, .load = 0, .free = 0};
  EXPECT_FALSE(by_work.prefers(b, nobody, own));
  EXPECT_FALSE(affine.prefers(b, nobody, busy));
  const burst_seen idle{.waiting = 2, .running = 0}, runs{.waiting = 2, .running = 1}, nothing{.waiting = 0};
  for (const policy* p : {&by_work, static_cast<const policy*>(&affine)}) {
    EXPECT_EQ(p->for_idle(b, idle), regeneration::move);
    EXPECT_EQ(p->for_idle(b, runs), regeneration::widen);
    EXPECT_EQ(p->for_idle(b, nothing), regeneration::none);
  }
  EXPECT_EQ(published.for_idle(b, idle), regeneration::move);
  EXPECT_EQ(published.for_idle(b, runs), regeneration::none);
}

/// Bubbles of an even number go to the last domain of a level, and burst on single units.
struct far_and_deep final : policy {
  std::uint32_t burst_depth(const bubble_seen&, const path_seen&) const noexcept override { return 1000; }
  bool prefers(const bubble_seen& b, const domain_seen& other, const domain_seen& best) const noexcept override {
    return b.number % 2 == 0 && other.domain > best.domain;
  }
  regeneration for_idle(const bubble_seen&, const burst_seen&) const noexcept override { return regeneration::none; }
};

TEST(policies, of_a_bubble_or_a_run_decide_where_bubbles_go) {
  on_worker([] {
    const far_and_deep far;
    for (const bool of_run : {false, true}) {
      parts_of p;
      if (of_run) p.home = std::make_shared<thread_scheduler<native>>(two_nodes(), nullptr, accept_nothing, &far);
      auto b = p.make({.policy = of_run ? nullptr : &far}), second = p.make({.policy = of_run ? nullptr : &far});
      still_thread s(*p.home), t(*p.home);
      p.home->threads.release();
      p.home->members.insert(b, s);
      p.home->members.insert(second, t);
      seen_carrier near(p, 0), away(p, 2), last(p, 3);
      p.home->members.wake(b);
      p.home->bubbles.send_down(near.state);
      EXPECT_EQ(b.area.load(), node_1);
      p.home->bubbles.send_down(away.state);
      EXPECT_EQ(b.area.load(), unit_3) << "a depth beyond the unit's is the unit's";
      p.home->bubbles.send_down(last.state);
      EXPECT_EQ(b.now, bubble_node<native>::phase::burst);
      EXPECT_EQ(p.first_on(unit_3), &s);
      p.home->members.wake(second);
      p.home->bubbles.send_down(near.state);
      EXPECT_EQ(second.area.load(), unit_0) << "it stays on the side of the unit that looks";
      for (still_thread* each : {&s, &t}) end(p, *each);
      EXPECT_TRUE(p.home->members.join(b, nullptr));
      EXPECT_TRUE(p.home->members.join(second, nullptr));
    }
  });
}

struct keeps_all final : policy {
  regeneration for_idle(const bubble_seen&, const burst_seen&) const noexcept override { return regeneration::none; }
};

// REGENERATION-1: with nothing that executes, unless the policy keeps it where it is.
TEST(policies, decide_whether_an_idle_unit_takes_a_bubble) {
  on_worker([] {
    const keeps_all keeps;
    for (const policy* const chosen : {static_cast<const policy*>(nullptr), static_cast<const policy*>(&keeps)}) {
      const parts_of p;
      auto b = p.make({.depth = 1, .policy = chosen});
      still_thread s(*p.home);
      p.home->threads.release();
      p.home->members.insert(b, s);
      p.home->members.wake(b);
      {
        seen_carrier near(p, 0);
        for (int step = 0; step < 2; ++step) p.home->bubbles.send_down(near.state);
      }
      EXPECT_EQ(b.now, bubble_node<native>::phase::burst);
      seen_carrier away(p, 2);
      EXPECT_EQ(p.home->regeneration.take_over(away.state, [] { return false; }), chosen == nullptr);
      EXPECT_EQ(p.home->counts().moves, chosen == nullptr ? 1u : 0u);
      end(p, s);
      EXPECT_TRUE(p.home->members.join(b, nullptr));
    }
  });
}

// The object of the default decides as the default does.
TEST(policies, that_override_nothing_are_the_default) {
  engine e(shape{1});
  const policy same;
  const as_published published;
  on::run(e, "numa:2 core:2 pu:2", [&] {
    const auto downs = [](bubble_options o, int threads) {
      const auto before = on::home().counts().down;
      on::bubble b(o);
      for (int i = 0; i < threads; ++i) b.spawn([] {});
      b.wake();
      b.join();
      return on::home().counts().down - before;
    };
    for (const int threads : {1, 2, 3, 4, 5, 8})
      EXPECT_EQ(downs({.policy = &same}, threads), downs({}, threads)) << threads;
    EXPECT_EQ(downs({.burst_level = "core", .policy = &published}, 1), 2u) << "the level that is given";
    EXPECT_EQ(downs({.policy = &published}, 1), 0u);
  });
}

TEST(policies, are_public) {
  struct deep final : leat::bubble_policy {
    std::uint32_t burst_depth(const leat::bubble_seen& b, const leat::path_seen& r) const noexcept override {
      return b.threads > 1 ? r.leaf() : r.released;
    }
  };
  const deep all_the_way;
  leat::runtime rt;
  rt.run([&] {
    leat::run_threads(
        [&] {
          const leat::as_published published;
          const auto level_of = [](const leat::bubble_options& o, int threads) {
            std::string level;
            leat::bubble b(o);
            for (int i = 0; i < threads; ++i)
              b.spawn([&level, i] { i == 0 ? void(level = leat::where()->level()) : void(); });
            b.wake();
            b.join();
            return level;
          };
          EXPECT_EQ(level_of({.stays = true}, 2), "pu");
          EXPECT_EQ(level_of({.stays = true}, 1), "machine");
          EXPECT_EQ(level_of({.stays = true, .policy = &published}, 2), "machine");
        },
        {.machine = "numa:2 pu:4", .policy = &all_the_way});
  });
}

}  // namespace
