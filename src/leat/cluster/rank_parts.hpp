// What one rank's part of a run is made with.
#pragma once

#include <cstdint>

#include "leat/cluster/counters.hpp"
#include "leat/cluster/engine.hpp"
#include "leat/cluster/mail.hpp"
#include "leat/cluster/snapshot.hpp"
#include "leat/cluster/work.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// What a rank runs with.
struct rank_parts {
  rank_id self;
  rank_id ranks;
  mail& post;
  engine& moves;
  rank_counters& counters;
  std::uint64_t poll_ns;
  snapshots keep{};
  sharing shares{};
  bool any_speaks = false;    ///< of several workers any may call `post` and `moves`, one at a time
  std::uint32_t workers = 1;  ///< of each rank
};

}  // namespace leat::inline LEAT_ABI::ranks
