// What becomes of each of a few tasks, in worlds where an owner and thieves take them.
#pragma once

#include <array>
#include <cstdint>

#include "every_schedule.hpp"

namespace leat_test {

// Tasks 1 to 7, each to be had once.
struct shares {
  std::array<std::uint32_t, 8> had{};
  void have(std::uint64_t task) {
    expect_here(task < had.size() && had[task] == 0, "a task is had twice, or is none");
    ++had[task];
  }
  void expect_all(std::uint64_t last) const {
    for (std::uint64_t i = 1; i <= last; ++i) expect_here(had[i] == 1, "a task is lost");
  }
};

}  // namespace leat_test
