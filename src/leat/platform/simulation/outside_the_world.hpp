// The simulation's own memory is the host's, also on the stacks of a world.
#pragma once

#include <utility>

#include "leat/platform/simulation/simulation.hpp"

namespace leat::inline LEAT_ABI::platform {

class simulation::outside_the_world {
 public:
  outside_the_world() noexcept : heap_(std::exchange(heap_of_thread, nullptr)) {}
  outside_the_world(const outside_the_world&) = delete;
  outside_the_world& operator=(const outside_the_world&) = delete;
  ~outside_the_world() { heap_of_thread = heap_; }

 private:
  simulated_memory* const heap_;
};

}  // namespace leat::inline LEAT_ABI::platform
