// Threads ask where they run.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "carried.hpp"
#include "leat/bubble.hpp"

namespace {

using leat::threads::bubble_options;
using leat::threads::where;
using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::shape;
using on = leat_test::carried<engine>;
using native = engine::platform;

TEST(locations, name_the_unit_and_the_domain_where_a_bubble_has_burst) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    on::run(e, "numa:2 core:2 pu:2", [&] {
      const auto main = where<native>();
      ASSERT_TRUE(main);
      EXPECT_EQ(main->area(), leat::topology::root_domain);
      EXPECT_EQ(main->level(), "machine");
      EXPECT_EQ(main->machine().units(), 8u);
      for (const std::string level : {"machine", "numa", "core", "pu"}) {
        std::atomic<int> right{0};
        on::bubble b(bubble_options{.burst_level = level, .stays = true});
        for (int i = 0; i < 3; ++i) {
          b.spawn([&] {
            for (int k = 0; k < 5; ++k, on::thread::yield()) {
              const auto here = where<native>();
              right += here->level() == level && here->unit() < s.workers && here->unit() == on::unit() &&
                       here->machine()[here->area()].has(here->unit()) && here->domain_of(level) == here->area();
            }
          });
        }
        b.wake();
        b.join();
        EXPECT_EQ(right, 15) << level;  // no SCOPED_TRACE, which belongs to the thread of the system
      }
      EXPECT_EQ(main->domain_of("machine"), leat::topology::root_domain);
    });
  });
}

TEST(locations, are_none_outside) {
  EXPECT_FALSE(where<native>());
  engine e(shape{2});
  e.run([] { EXPECT_FALSE(where<native>()); });
  on::run(e, "numa:2 pu:1", [] {
    engine::blocking([] { EXPECT_FALSE(where<native>()) << "the thread is no worker there"; });
    std::string said;
    try {
      static_cast<void>(where<native>()->domain_of("socket"));
    } catch (const std::invalid_argument& wrong) {
      said = wrong.what();
    }
    EXPECT_NE(said.find("\"socket\""), std::string::npos) << said;
  });
}

TEST(locations, are_public) {
  EXPECT_FALSE(leat::where());
  EXPECT_THROW(static_cast<void>(leat::bubble_events()), std::logic_error);
  leat::runtime rt;
  rt.run([] {
    leat::run_threads(
        [] {
          EXPECT_EQ(leat::where()->machine().units(), 4u);
          leat::bubble b(leat::bubble_options{.burst_level = "numa"});
          b.spawn([] { EXPECT_EQ(leat::where()->level(), "numa"); });
          b.wake();
          b.join();
          EXPECT_EQ(leat::bubble_events().bursts, 1u);
        },
        {.machine = "numa:2 pu:2"});
  });
}

}  // namespace
