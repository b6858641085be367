// What kernels are made of, as a rival's parameters say it.

#pragma once

#include "turns.hpp"

#include "kernels/busy_loop.hpp"
#include "kernels/loop.hpp"
#include "kernels/nqueens_board.hpp"
#include "kernels/uts_tree.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace leat::rivals {

/// Steps of busy_loop that take so many microseconds, measured by the program that compares: all run the same work. Throws `cannot` where
/// tasks are to wait by the clock.
[[nodiscard]] inline std::uint64_t steps_of(std::int64_t us, const parameters& p) {
  if (p.word("clock") == "true") throw cannot("no tasks that wait by the clock");
  return us == 0 ? 0 : kernels::busy_loop::steps_of(us, p.number("ns_per_step"));
}

/// The empty board of N-Queens.
[[nodiscard]] inline kernels::nqueens::board board_of(const parameters& p) {
  kernels::nqueens::board b;
  b.size = static_cast<int>(p.integer("n"));
  return b;
}

/// The tree of UTS.
[[nodiscard]] inline std::shared_ptr<const kernels::uts::tree> tree_of(const parameters& p) {
  kernels::uts::parameters tree;
  tree.type = static_cast<kernels::uts::kind>(p.integer("t"));
  tree.form = static_cast<kernels::uts::shape>(p.integer("a"));
  tree.depth = p.integer("d");
  tree.branching = p.number("b");
  tree.seed = p.integer("r");
  tree.inner_probability = p.number("q");
  tree.inner_children = p.integer("m");
  return std::make_shared<const kernels::uts::tree>(tree);
}

/// The loop of this kind and scale. Throws `cannot` where its kind is not known.
[[nodiscard]] inline std::shared_ptr<kernels::loop::workload> loop_of(const parameters& p) {
  kernels::loop::parameters loop;
  loop.scale = p.number("scale");
  loop.clock = p.word("clock") == "true";
  using kernels::loop::kind;
  for (const kind k : {kind::FG, kind::CG, kind::RG, kind::IG, kind::DG, kind::uniform, kind::ramp}) {
    if (name(k) != p.word("kind")) continue;
    loop.kind = k;
    return std::make_shared<kernels::loop::workload>(loop, p.number("ns_per_step"));
  }
  throw cannot("no loop '" + p.word("kind") + "'");
}

}  // namespace leat::rivals
