// How many workers execute tasks of a run, as they do it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "leat/platform/simulated.hpp"

namespace leat_test {

/// Nothing in it is a step of the world, so nothing comes in between. More than the cap ends the world.
class workers_of_run {
 public:
  explicit workers_of_run(std::uint32_t cap) : cap_(cap) {}

  /// While it lives, the calling thread executes a task of the run, or one inside another.
  class execution {
   public:
    explicit execution(workers_of_run& in) : in_(in) {
      auto* const world = leat::platform::simulation::current();
      std::uint32_t& depth = in_.depth_.at(world->here().number);
      if (depth++ == 0 && ++in_.now_ > in_.cap_)
        world->fail("client: " + std::to_string(in_.now_) + " workers execute tasks of a run that may have " +
                    std::to_string(in_.cap_));
    }
    execution(const execution&) = delete;
    execution& operator=(const execution&) = delete;
    ~execution() {
      if (--in_.depth_.at(leat::platform::simulation::current()->here().number) == 0) --in_.now_;
    }

   private:
    workers_of_run& in_;
  };

 private:
  const std::uint32_t cap_;
  std::uint32_t now_ = 0;
  std::array<std::uint32_t, 64> depth_{};  // by thread
};

}  // namespace leat_test
