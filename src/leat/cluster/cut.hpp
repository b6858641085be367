// A cut through a run: a moment at which no rank works and nothing is on its way, so that what is found and what
// waits can be kept as a snapshot. docs/internals/cluster.md, rules SNAPSHOT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leat/cluster/mail.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// How much work has left a rank and come to it since the run began, in tasks.
struct moved_tasks {
  std::uint64_t given = 0;
  std::uint64_t taken = 0;

  friend bool operator==(const moved_tasks&, const moved_tasks&) = default;
};

/// One rank's part in cuts.
///
/// - SNAPSHOT-1 Rank 0 tells all ranks to hold, down the tree. A rank that holds expands nothing and gives nothing, but
///   takes what comes.
/// - SNAPSHOT-2 A rank that holds tells rank 0 what it has given and taken, what it has found, and what waits there;
///   again when more has come.
/// - SNAPSHOT-3 When all hold, and as much was taken as was given, nothing is on its way: rank 0 has the cut. It lets
///   all go on.
///
/// - SNAPSHOT-4 When a run has ended, a cut that has begun is forgotten.
///
/// Thread safety: none.
class cut {
 public:
  cut(mail& post, rank_id self, rank_id ranks);

  /// SNAPSHOT-1: on rank 0: begins one.
  void begin();

  /// Whether messages of this kind are of cuts: hold, part and go_on.
  static bool is_of(mail_kind kind) noexcept {
    return kind == mail_kind::hold || kind == mail_kind::part || kind == mail_kind::go_on;
  }

  /// Takes a message of these kinds.
  void hear(const letter&);

  /// Whether there is one, as far as this rank has heard.
  bool begun() const noexcept { return begun_; }

  /// Whether this rank holds from now on. Between two cuts each does something, so that a run goes on however often
  /// it is cut.
  bool holds() noexcept;

  /// The rank has worked, or sought work.
  void moved() noexcept { moved_ = true; }

  /// Whether rank 0 is to be told (SNAPSHOT-2) of a rank that holds.
  bool owes_part(const moved_tasks& now) const noexcept { return !told_ || *told_ != now; }

  /// SNAPSHOT-2.
  void send_part(const moved_tasks& now, std::span<const std::byte> result, std::span<const std::byte> tasks);

  /// SNAPSHOT-3: on rank 0.
  bool complete() const noexcept;

  /// What a rank had found and what waited there, packed. On rank 0, of a complete cut.
  struct part {
    moved_tasks moved;
    std::vector<std::byte> result;
    std::vector<std::byte> tasks;
  };
  const std::vector<part>& parts() const noexcept { return parts_; }

  /// Lets this rank and all below it go on: on rank 0, all.
  void end();

 private:
  void send_down(mail_kind kind);

  mail& post_;
  rank_id self_;
  std::vector<rank_id> children_;
  void begin_here();

  bool begun_ = false;
  bool holds_ = false;  // in the cut that has begun
  bool moved_ = true;  // since it held last
  std::uint32_t serial_ = 0;  // of the cut that this rank heard of last
  std::optional<moved_tasks> told_;  // to rank 0, in this cut
  std::vector<part> parts_;  // on rank 0, by rank
  std::vector<bool> told_by_;  // whose part of this cut is there
  rank_id parts_missing_ = 0;
};

}  // namespace leat::inline LEAT_ABI::ranks
