#include "kernels/uts_cluster.hpp"

#include <array>
#include <cstdint>
#include <functional>

namespace leat::kernels::uts {

namespace {

struct node_to_visit {
  state self;
  std::uint32_t depth;
};

}  // namespace

tally count_on_cluster(cluster& on, const tree& tree, const snapshots& keep) {
  const auto expand = [&tree](const node_to_visit& node, const auto& emit) {
    tally found;
    const std::uint32_t children = tree.children(node.self, node.depth);
    if (children == 0) {
      found.add_leaf();
      return found;
    }
    found.add_inner(node.depth);
    child_hash hash{node.self};
    for (std::uint32_t i = 0; i < children; ++i) emit(node_to_visit{hash(i), node.depth + 1});
    return found;
  };
  return on.run(std::array{node_to_visit{tree.root(), 0}}, tally{}, expand, std::plus<>{}, keep);
}

}  // namespace leat::kernels::uts
