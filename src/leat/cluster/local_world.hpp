// Ranks in one process: a transport without MPI, for tests. Seeded: it delays what it carries, and mixes what has no
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "leat/cluster/transport.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/protocol/random.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// What a world does to what it carries.
struct world_options {
  std::uint64_t seed = 1;
  std::uint32_t delay_max = 0;  ///< in calls of any rank: each message, write and read is late by 0 to so many
  rank_id ranks_per_node = 1;  ///< in a row
  bool any_thread = true;      ///< transport::serves_any_thread
};

/// All ranks of a cluster. Each end may be used by a thread of its own, or all by one that steps them in turn: then the
/// seed decides all that happens, and a failure can be repeated.
///
/// The world's time is the number of calls of its ends. So a delay does not depend on how fast the machine is, and a
/// rank that makes no call does not stop the time of others. One lock guards all of it.
class local_world {
 public:
  explicit local_world(rank_id ranks, const world_options& = {});
  ~local_world();

  /// The end of this rank, which does not outlive the world: it may be destroyed and made anew.
  std::unique_ptr<transport> end_of(rank_id);

 private:
  friend class local_end;

  // A message or a write, on its way. Both are of one kind, so that TRANSPORT-1 holds between them.
  struct parcel {
    std::uint64_t due;
    std::vector<std::byte> bytes;
    bool is_write;
    std::size_t word;
    std::uint64_t value;
  };

  struct pending_read {
    std::uint64_t due;
    rank_id of;
    std::size_t word;
    std::optional<std::uint64_t> value;  // as it was when the read began; else as it is when the read ends
  };

  // Of one rank: what is on its way to it, and what has come.
  struct mailbox {
    std::vector<std::deque<parcel>> from;  // by sender
    std::deque<message> arrived;
    std::vector<std::uint64_t> words;
    std::vector<std::byte> landing;
    std::optional<pending_read> read;
  };

  class guard;

  // All of these under the lock, which each call of an end takes.
  std::uint64_t tick() noexcept { return ++now_; }
  std::uint64_t drawn_due() noexcept { return now_ + random_.below(options_.delay_max + 1); }
  void post(rank_id from, rank_id to, parcel);
  void arrive(rank_id at);

  world_options options_;
  platform::chosen::atomic<std::uint32_t> locked_{0};
  std::uint64_t now_ = 0;  // calls so far
  protocol::random random_;
  std::vector<mailbox> boxes_;
};

}  // namespace leat::inline LEAT_ABI::ranks
