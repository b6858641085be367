// What a rank of several workers gives of the tasks that have landed. Rule SEAT-8: docs/internals/cluster.md.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/cluster/rank_tasks.hpp"
#include "leat/platform/chosen.hpp"

namespace {

using tasks = leat::ranks::rank_tasks<leat::platform::chosen, std::uint32_t>;

// As many tasks as an answer of another rank has.
std::vector<std::byte> packed(std::uint32_t many) {
  tasks from({}, 1);
  for (std::uint32_t i = 0; i != many; ++i) from.add(from.at(0), i);
  std::vector<std::byte> bytes;
  (void)from.all_rest();
  from.pack_all(bytes);
  return bytes;
}

TEST(rank_tasks, keep_the_last_task_that_has_landed) {
  tasks of({}, 2);
  ASSERT_EQ(of.take(packed(1)), 1U);
  EXPECT_TRUE(of.busy());
  EXPECT_EQ(of.shared(), 0U);
  std::vector<std::byte> answer;
  EXPECT_EQ(of.give(answer), 0U);
  EXPECT_TRUE(answer.empty());
  EXPECT_TRUE(of.find(of.at(1)));  // a worker has it
  EXPECT_EQ(of.at(1).own.size(), 1U);
}

TEST(rank_tasks, give_half_of_more) {
  tasks of({}, 2);
  ASSERT_EQ(of.take(packed(4)), 4U);
  EXPECT_EQ(of.shared(), 4U);
  std::vector<std::byte> answer;
  EXPECT_EQ(of.give(answer), 2U);
  EXPECT_EQ(of.give(answer), 1U);
  EXPECT_EQ(of.give(answer), 0U);
  EXPECT_TRUE(of.find(of.at(0)));
}

}  // namespace
