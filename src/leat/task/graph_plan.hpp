// The shape of a task graph: which node comes before which, and what nodes are called. It knows no tasks. Rules GRAPH:
// docs/internals/graphs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "leat/platform/abi.hpp"
#include "leat/platform/shared.hpp"

namespace leat::inline LEAT_ABI::task {

/// Nodes by number, and edges between them. One thread at a time changes it.
class LEAT_SHARED graph_plan {
 public:
  using number = std::uint32_t;

  /// Nodes, and edges, of one graph at most.
  static constexpr std::size_t count_max = UINT32_MAX - 1;
  /// Nodes of a cycle that a message names.
  static constexpr std::size_t cycle_named_max = 8;

  /// So that add_node cannot throw. Throws std::length_error beyond count_max, std::bad_alloc.
  void make_room();
  number add_node() noexcept;

  /// `to` begins when `from` has ended. Throws as make_room does.
  void add_edge(number from, number to);

  void set_name(number n, std::string name);
  /// The name that it was given, or its number as "#3".
  std::string name_of(number n) const;

  std::size_t nodes() const noexcept { return before_.size(); }
  std::size_t edges() const noexcept { return edges_.size(); }

  /// Whether nothing was added since arrange().
  bool arranged() const noexcept { return arranged_; }

  /// Puts the successors of each node in a row (GRAPH-1). O(nodes + edges).
  /// \throws std::invalid_argument, naming nodes of a cycle, if there is one; std::bad_alloc
  void arrange();

  // -- when arranged

  /// The predecessors of a node, in number.
  number before(number n) const noexcept { return before_[n]; }
  /// The successors of `n` are those in after()[first_after(n)] and so on, before first_after(n + 1).
  number first_after(number n) const noexcept { return first_after_[n]; }
  const number* after() const noexcept { return after_.data(); }
  /// The nodes without predecessors.
  const std::vector<number>& roots() const noexcept { return roots_; }

  /// The graph in the language DOT.
  void write_dot(std::ostream& out) const;
  std::string dot() const;

 private:
  struct edge {
    number from;
    number to;
  };

  bool ends_all(std::vector<number>& left) const;
  [[noreturn]] void throw_cycle(const std::vector<number>& left) const;

  std::vector<edge> edges_;
  std::vector<number> before_;
  std::vector<std::string> names_;  // of the first nodes, up to the last that has one
  bool arranged_ = true;
  bool ascending_ = true;  // every edge goes to a higher number, so there is no cycle

  std::vector<number> first_after_ = {0};
  std::vector<number> after_;
  std::vector<number> roots_;
};

/// std::invalid_argument: the handle given to `what`, of the node called `name`, is of another graph, or of none.
[[noreturn, gnu::cold]] void throw_not_of_the_graph(const char* what, const std::string& name);

/// std::logic_error: `what` was called while the graph runs.
[[noreturn, gnu::cold]] void throw_graph_runs(const char* what);

}  // namespace leat::inline LEAT_ABI::task
