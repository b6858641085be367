// Small programs that check themselves, to be run in simulated worlds.
#pragma once

#include <cstdint>
#include <vector>

#include "../engines.hpp"

namespace leat_test {

/// What a client is told of its world.
struct scene {
  shape of;
  std::uint64_t seed = 0;  ///< of what the client draws
  bool threads_may_fail = false;
  bool memory_may_fail = false;

  /// A number below `end`, the same for the same key in whatever order things happen.
  std::uint32_t drawn(std::uint64_t key, std::uint32_t end) const;
};

struct client {
  const char* name;
  void (*run)(const scene&);  ///< in a world; lets out what a failing thread or allocation lets out
};

/// All of them.
const std::vector<client>& clients();

}  // namespace leat_test
