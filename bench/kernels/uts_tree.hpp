// The trees of UTS, the unbalanced tree search benchmark: their parameters and how many children a node has.

#pragma once

#include "kernels/uts_hash.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leat::kernels::uts {

/// How the number of children of a node is drawn; the numbers are those of the option -t.
enum class kind : int { binomial = 0, geometric = 1, hybrid = 2 };

/// How the expected number of children of a geometric tree changes with depth; the numbers are those of the option -a.
enum class shape : int { linear = 0, exponential = 1, cyclic = 2, fixed = 3 };

/// The name of a kind or shape, as people and JSON read it.
[[nodiscard]] std::string_view name(kind) noexcept;
[[nodiscard]] std::string_view name(shape) noexcept;

/// The parameters of a tree, with the defaults of the benchmark's authors. The letter is the classic option.
struct parameters {
  kind type = kind::geometric;          ///< -t
  double branching = 4.0;               ///< -b  expected children of the root; a binomial root has exactly floor(b)
  std::int64_t seed = 0;                ///< -r  0 to 2^32 - 1
  double inner_probability = 0.234375;  ///< -q  of a binomial node having children
  std::int64_t inner_children = 4;      ///< -m  children of a binomial node that has any
  std::int64_t depth = 6;               ///< -d  in levels: where a geometric tree ends or turns
  shape form = shape::linear;           ///< -a
  std::int64_t prefix =
      0;  ///< --prefix  nodes at this depth are leaves, so that the first levels are counted; 0: all are

  /// Throws std::invalid_argument, naming the option and its value, where the parameters make no tree, or one that is
  /// not expected to end, or to have more than nodes_expected_max nodes, and is no known tree. A tree that passes may still be larger
  /// than anyone has time for.
  void validate() const;
};

/// A tree with a name and a known number of nodes.
struct known_tree {
  std::string_view name;
  parameters tree;
  std::uint64_t nodes;
};

/// The trees known by name: T1 to T5, T1L to T3L, T1XL, T1XXL, T3XXL, T1WL and T2WL, with the parameters and the numbers of
/// nodes of the sample trees that come with the benchmark. Thread-safe.
[[nodiscard]] std::span<const known_tree> known_trees() noexcept;

/// The known tree of this name, or null. Thread-safe.
[[nodiscard]] const known_tree* find_known_tree(std::string_view name) noexcept;

/// The known tree that these parameters describe, or null: parameters that its kind of tree does not use may differ. None for
/// a prefix.
[[nodiscard]] const known_tree* find_known_tree(const parameters&) noexcept;

/// The same, also for a prefix of a known tree.
[[nodiscard]] const known_tree* find_whole_tree(const parameters&) noexcept;

/// The most nodes that a tree may be expected to have. At 40 ns a node, one CPU takes 13 years.
inline constexpr double nodes_expected_max = 1e16;

/// The most children a node may have; a binomial root is excepted.
inline constexpr std::uint32_t children_max = 100;

/// A tree ready to be traversed: the parameters, and what follows from them once for all nodes.
///
/// Thread safety: any number of threads may ask at once.
class tree {
 public:
  /// Throws what parameters::validate throws.
  explicit tree(const parameters&);

  /// The state of the root, which is at depth 0.
  [[nodiscard]] state root() const noexcept { return child_hash::root(static_cast<std::uint32_t>(parameters_.seed)); }

  /// The number of children of a node at this depth. Cost: a logarithm and a division in a geometric part, else a
  /// comparison.
  [[nodiscard]] std::uint32_t children(const state& node, std::uint32_t depth) const noexcept {
    if (is_cut_at(depth)) [[unlikely]]
      return 0;
    if (is_geometric(depth)) return geometric_children(node, depth);
    return depth == 0 ? root_children_ : binomial_children(node);
  }

  /// Whether nodes at this depth are leaves, as only a prefix of the tree is counted.
  [[nodiscard]] bool is_cut_at(std::uint32_t depth) const noexcept { return depth >= leaves_at_; }

  /// Whether the children of nodes at this depth are drawn geometrically, or else binomially.
  [[nodiscard]] bool is_geometric(std::uint32_t depth) const noexcept { return depth < geometric_depth_end_; }

  /// The same as `children`, where is_geometric(depth).
  [[nodiscard]] std::uint32_t geometric_children(const state& node, std::uint32_t depth) const noexcept {
    const double log_more = depth < log_more_.size() ? log_more_[depth] : log_more_at(depth);
    // A chance of one more child so near 1 that it has no logarithm below zero: as many as a node may have.
    if (!(log_more < 0)) return children_max;
    const double u = node.random() * 0x1p-31;
    const double drawn = std::log(1 - u) / log_more;  // not negative, so the conversion below is its floor
    return drawn < children_max ? static_cast<std::uint32_t>(drawn) : children_max;
  }

  /// The same as `children`, where not, of a node that is not the root.
  [[nodiscard]] std::uint32_t binomial_children(const state& node) const noexcept {
    return node.random() < inner_below_ ? inner_children_ : 0;
  }

  [[nodiscard]] const uts::parameters& parameters() const noexcept { return parameters_; }

 private:
  // The logarithm of the chance, at this depth, that a node has one child more: ln(1 - p) with p = 1 / (1 + b_i).
  [[nodiscard]] double log_more_at(std::uint32_t depth) const noexcept;

  uts::parameters parameters_;
  std::uint32_t geometric_depth_end_ = 0;  // nodes above this depth are drawn geometrically
  std::uint32_t leaves_at_ = std::numeric_limits<std::uint32_t>::max();  // the depth at which the prefix ends
  std::uint32_t root_children_ = 0;  // of a binomial root
  std::uint32_t inner_children_ = 0;
  std::uint32_t inner_below_ = 0;  // a binomial node has children if its random number is less: q 2^31, rounded up
  std::vector<double> log_more_;  // log_more_at for the first depths
};

}  // namespace leat::kernels::uts
