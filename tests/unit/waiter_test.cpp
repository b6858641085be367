// What a wait that leapfrogs leaves behind.
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>

#include "leat/entry/bodies.hpp"
#include "leat/leat.hpp"

namespace {

using worker = leat::scheduler::worker<leat::platform::chosen>;

// Else the deque of a worker that gives most of its tasks away runs to its end, and grows at each moment in which something is lent.
TEST(waiter, leaves_an_empty_deque_at_its_first_slot) {
  leat::runtime one({.workers = 1});
  one.run([] {
    worker& me = *worker::current();
    auto& tasks = me.stack().tasks;
    ASSERT_TRUE(tasks.empty());
    const std::size_t before = tasks.free_slots();
    ASSERT_NE(tasks.room(), nullptr);
    tasks.push();
    tasks.lend(1);
    tasks.give_back();  // as a thief does before it executes the task
    ASSERT_EQ(tasks.free_slots(), before - 1);

    const auto over = [] { return true; };
    const auto nobody = [](bool) { return std::optional<leat::protocol::worker_id>(); };
    me.waiter.help_until(&tasks, {leat::waiting::wait_kind::group}, over, nobody);
    EXPECT_EQ(tasks.free_slots(), tasks.capacity());
  });
}

}  // namespace
