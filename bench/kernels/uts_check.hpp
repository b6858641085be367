// Whether traversals of one tree found what they had to find.

#pragma once

#include "kernels/uts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::kernels::uts {

/// Takes the tally of each traversal of a tree, and compares it with the known number of nodes, where there is one, and
/// with the tally of the first traversal.
///
/// Thread safety: none.
class tally_check {
 public:
  /// `known` may be null; else it must outlive the check.
  explicit tally_check(const known_tree* known) noexcept : known_(known) {}

  /// `version` names the traversal in the message: "serial", "parallel".
  void take(std::string_view version, const tally& found);

  /// The same for a traversal that tells the number of its nodes only, once there is a tally or a known number.
  void take_nodes(std::string_view version, std::uint64_t found);

  /// Whether all tallies so far were right.
  [[nodiscard]] bool ok() const noexcept { return failure_.empty(); }

  /// The first thing that was wrong, as a sentence; empty if nothing was.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

  /// The tally taken last.
  [[nodiscard]] const tally& latest() const noexcept { return latest_; }

 private:
  const known_tree* known_;
  std::optional<tally> first_;
  tally latest_;
  std::string failure_;
};

}  // namespace leat::kernels::uts
