// How the failure of one rank ends a run on all: docs/internals/cluster.md, rules FAILURE.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "leat/cluster/mail.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// FAILURE-4: how long a rank waits for the others to leave a run that failed, in nanoseconds: eight seconds. One that is deep
/// in a long task comes later, and one that is dead never.
inline constexpr std::uint64_t failure_wait_max_ns = 8'000'000'000;

/// One rank's part in ending a run that failed.
///
/// - FAILURE-1 A rank that fails, or hears of a failure for the first time, drops its work and tells every other rank
///   of the cause.
/// - FAILURE-2 It leaves when it has heard from every other rank, as by TRANSPORT-1 nothing of the run is on its way to
///   it any more, and when all that it sent can do without it: the program may compute for long then, or wait for
///   others by means of its own.
///
/// Thread safety: none.
class failure {
 public:
  failure(mail& post, rank_id self, rank_id ranks) noexcept : post_(post), self_(self), ranks_(ranks) {}

  /// FAILURE-1: what was thrown here, at this time.
  void fail(std::exception_ptr thrown, std::uint64_t now_ns);

  /// Takes a message of the kind `failed`.
  void hear(const letter&, std::uint64_t now_ns);

  /// Whether the run failed.
  bool failed() const noexcept { return cause_.has_value(); }

  /// The eight seconds begin now: the rank's first worker was in a task while another worker heard of the failure.
  void wait_from(std::uint64_t now_ns) noexcept { since_ns_ = now_ns; }

  /// FAILURE-2: whether this rank may leave. After eight seconds it does so in any case. If left_behind is true
  /// then, a rank may still write to this one, and the cluster is used no more.
  bool over(std::uint64_t now_ns) const noexcept {
    return (!left_behind() && post_.all_sent()) || now_ns - since_ns_ > failure_wait_max_ns;
  }

  /// Whether the run failed, and some rank has not told of it.
  bool left_behind() const noexcept { return failed() && heard_ + 1 != ranks_; }

  /// "leat::cluster: rank 2 failed: ...", once it failed.
  std::string text() const;

  /// Throws what was thrown here, or rank_failed.
  [[noreturn]] void rethrow() const;

 private:
  struct cause {
    rank_id rank;
    std::string what;
  };

  void tell(cause, std::uint64_t now_ns);

  mail& post_;
  rank_id self_;
  rank_id ranks_;
  rank_id heard_ = 0;
  std::uint64_t since_ns_ = 0;
  std::optional<cause> cause_;
  std::exception_ptr thrown_;
};

}  // namespace leat::inline LEAT_ABI::ranks
