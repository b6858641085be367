// A tree of bubbles that is shaped like the machine.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/bubble/nests.hpp"
#include "leat/thread/bubble.hpp"

namespace leat::inline LEAT_ABI::threads {

/// Options of a tree of bubbles.
struct bubble_tree_options {
  /// The word for the level of its leaves, as "numa"; empty: a leaf for each unit.
  std::string leaf_level = {};
  /// Of all bubbles in it: once one has burst, no idle unit takes it over, nor widens it.
  bool stays = false;
};

/// See leat::bubble_tree. Where a bubble goes down is the scheduler's choice, as for any bubble: bubbles of one
/// level are alike, and the tree says only which of them belong together.
template <class P>
class bubble_tree {
 public:
  explicit bubble_tree(const bubble_tree_options& o = {}) : bubble_tree(this_carrier<P>("bubble_tree").home(), o) {}
  bubble_tree(const bubble_tree&) = delete;
  bubble_tree& operator=(const bubble_tree&) = delete;
  ~bubble_tree() {
    while (!bubbles_.empty()) bubbles_.pop_back();  // those inside first
  }

  std::size_t leaves() const noexcept { return leaves_.size(); }

  bubble<P>& leaf(std::size_t i) {
    if (i >= leaves_.size()) throw_outside("leaf", i, leaves_.size());
    return *bubbles_[leaves_[i]];
  }

  bubble<P>& leaf_for(std::size_t i, std::size_t threads) {
    if (i >= threads) throw_outside("leaf_for", i, threads);
    return *bubbles_[bubbles::leaf_with(nests_, machine_, bubbles::unit_for(i, threads, machine_.units()))];
  }

  /// The innermost bubble whose domain has all of `d`.
  bubble<P>& around(topology::domain_id d) {
    if (d >= machine_.domains().size()) throw_outside("around", d, machine_.domains().size());
    std::size_t found = 0;
    const topology::domain& of = machine_[d];
    for (std::size_t i = 0; i < nests_.size(); ++i) {
      const topology::domain& has = machine_[nests_[i].domain];
      if (has.has(of.first_unit) && has.has(of.first_unit + of.units - 1)) found = i;
    }
    return *bubbles_[found];
  }

  bubble<P>& whole() noexcept { return *bubbles_.front(); }
  void wake() { whole().wake(); }
  void join() { whole().join(); }

 private:
  bubble_tree(bubbles::thread_scheduler<P>& home, const bubble_tree_options& o)
      : machine_(home.machine()),
        nests_(bubbles::nests_of(machine_, depth_of_level("bubble_tree: leaf_level", o.leaf_level, machine_))) {
    for (std::size_t i = 0; i < nests_.size(); ++i) {
      const bubbles::nest& n = nests_[i];
      bubbles_.push_back(
          std::make_unique<bubble<P>>(home, bubbles::bubble_plan{.depth = machine_[n.domain].depth, .stays = o.stays}));
      if (i != 0) bubbles_[n.around]->insert(*bubbles_.back());
      if (n.inside == 0) leaves_.push_back(i);
    }
  }

  [[noreturn, gnu::cold]] static void throw_outside(const char* call, std::size_t i, std::size_t end) {
    throw std::out_of_range(std::string("leat::bubble_tree::") + call + ": " + std::to_string(i) + " is not below " +
                            std::to_string(end));
  }

  const topology::machine machine_;  // a copy, as the tree may outlive run_threads
  const std::vector<bubbles::nest> nests_;
  std::vector<std::unique_ptr<bubble<P>>> bubbles_;  // of each nest
  std::vector<std::size_t> leaves_;  // by their place among the nests
};

}  // namespace leat::inline LEAT_ABI::threads
