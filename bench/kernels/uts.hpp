// UTS, the unbalanced tree search benchmark: count the nodes of a tree that is generated while it is searched.

#pragma once

#include "kernels/construct.hpp"
#include "kernels/counted_runtime.hpp"
#include "kernels/uts_tree.hpp"

#include <leat/runtime.hpp>

#include <algorithm>
#include <cstdint>

namespace leat::kernels::uts {

/// What a traversal found. The nodes with children and those without are counted apart, so that each node costs one
/// addition.
struct tally {
  std::uint64_t inner = 0;
  std::uint64_t leaves = 0;     ///< nodes without children
  std::uint32_t max_depth = 0;  ///< of any node; the root is at 0

  [[nodiscard]] std::uint64_t nodes() const noexcept { return inner + leaves; }

  void add_leaf() noexcept { ++leaves; }

  /// Counts a node with children. It tells the depth for them: fewer nodes have children than have none.
  void add_inner(std::uint32_t depth) noexcept {
    ++inner;
    if (depth >= max_depth) max_depth = depth + 1;
  }

  /// The same of a node that was counted as a leaf, and counts its children so: leaves have nothing to tell.
  void add_inner(std::uint32_t depth, std::uint32_t children) noexcept {
    add_inner(depth);
    leaves += children - 1;
  }

  /// What two traversals of disjoint parts found together.
  friend tally operator+(const tally& a, const tally& b) noexcept {
    return {a.inner + b.inner, a.leaves + b.leaves, std::max(a.max_depth, b.max_depth)};
  }

  friend bool operator==(const tally&, const tally&) = default;
};

/// Traverses the tree depth-first in the calling thread, with a stack of its own: the C++ stack stays flat however deep
/// the tree is. Throws std::bad_alloc where the nodes waiting to be visited (24 bytes each) do not fit in memory.
[[nodiscard]] tally count_serially(const tree&);

/// Traverses the tree with one task per node but the root, without cut-off, on the runtime's workers.
///
/// - construct::spawn: plain tasks; a node's task spawns those of its children. The run waits for them.
/// - construct::group: the same in one task group for the whole tree, for which the root waits.
/// - construct::fork: fork/join; of siblings, the first against the others, and so on. Below level 2048
///   nodes are counted without tasks, as the stack has its end; of the known trees, T3L and T3XXL go so deep.
///
/// Throws what runtime::run throws. Any thread may call it. Cost over the serial traversal: what making and running
/// a task costs, at each node.
[[nodiscard]] tally count_in_parallel(runtime&, const tree&, construct = construct::spawn);
[[nodiscard]] tally count_in_parallel(counted_runtime&, const tree&, construct = construct::spawn);

}  // namespace leat::kernels::uts
