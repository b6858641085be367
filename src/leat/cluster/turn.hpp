// The turn to talk with other ranks, which one worker of a rank has at a time. docs/internals/cluster.md, rule SEAT-5.
#pragma once

#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// Takes the turn of these workers, unless another of them has it, and gives it back at the end. Never waits. `Workers` is
/// lone_worker or rank_workers. Thread safety: none.
template <class Workers>
class turn {
 public:
  explicit turn(Workers& of) noexcept : of_(of), mine_(of.begin_turn()) {}
  ~turn() { end(); }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;

  /// Whether this worker has it.
  explicit operator bool() const noexcept { return mine_; }

  /// Gives it back, and takes it again.
  void end() noexcept {
    if (std::exchange(mine_, false)) of_.end_turn();
  }
  void begin() noexcept { mine_ = mine_ || of_.begin_turn(); }

 private:
  Workers& of_;
  bool mine_;
};

}  // namespace leat::inline LEAT_ABI::ranks
