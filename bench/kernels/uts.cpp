#include "kernels/uts.hpp"

#include <leat/spawn.hpp>
#include <leat/worker_local.hpp>

#include <cstring>
#include <type_traits>
#include <vector>

namespace leat::kernels::uts {

namespace {

struct waiting_node {
  state self;
  std::uint32_t depth;
};

// What all tasks of a traversal share.
struct traversal {
  const uts::tree& tree;
  worker_local<tally>& tallies;
};

// The task of one node. The parent hashes: it lays out the block once for all its children, and the hashes of siblings
// overlap in the CPU, as they do in the serial traversal.
//
// The state is kept in words that are stored and loaded again one by one, in the same width, between the hash, the task
// record and the task: an array would be copied sixteen bytes at a time across such words, too early for the CPU to
// forward their stores. That would cost 4 ns a node, several times what the rest of the task costs.
class visit {
 public:
  visit(const state& self, std::uint32_t depth, const traversal& all) noexcept
      : last_(self.word[4]), depth_(depth), all_(&all) {
    std::memcpy(&first_, &self.word[0], sizeof first_);
    std::memcpy(&second_, &self.word[2], sizeof second_);
  }

  // Inlined into the task record's function, so that a leaf, as most nodes are, sets up no frame for children.
  [[gnu::always_inline]] void operator()() const {
    const state self = unpacked();
    const std::uint32_t children = all_->tree.children(self, depth_);
    tally& found = all_->tallies.local();
    if (children == 0) return found.add_leaf(depth_);
    found.add_inner();
    spawn_children(self, children, depth_ + 1, *all_);
  }

 private:
  [[nodiscard]] state unpacked() const noexcept {
    state self;
    std::memcpy(&self.word[0], &first_, sizeof first_);
    std::memcpy(&self.word[2], &second_, sizeof second_);
    self.word[4] = last_;
    return self;
  }

  [[gnu::noinline]] static void spawn_children(const state& parent, std::uint32_t children, std::uint32_t depth,
                                               const traversal& all) {
    child_hash hash{parent};
    for (std::uint32_t i = 0; i < children; ++i) spawn(visit{hash(i), depth, all});
  }

  std::uint64_t first_;
  std::uint64_t second_;
  std::uint32_t last_;
  std::uint32_t depth_;
  const traversal* all_;
};
// Small enough for any scheduler's task slot, and copied without a call.
static_assert(sizeof(visit) <= 56 && std::is_trivially_copyable_v<visit>);

}  // namespace

// An explicit stack of nodes is faster than recursion (by up to a tenth: the hashes of siblings follow each other
// directly), and it does not overflow on T3L and T3XXL, which are tens of thousands of levels deep.
tally count_serially(const tree& tree) {
  tally found;
  std::vector<waiting_node> waiting{{tree.root(), 0}};
  while (!waiting.empty()) {
    const waiting_node node = waiting.back();
    waiting.pop_back();
    const std::uint32_t children = tree.children(node.self, node.depth);
    if (children == 0) {
      found.add_leaf(node.depth);
      continue;
    }
    found.add_inner();
    child_hash hash{node.self};
    for (std::uint32_t i = 0; i < children; ++i) waiting.push_back({hash(i), node.depth + 1});
  }
  return found;
}

tally count_in_parallel(runtime& rt, const tree& tree) {
  worker_local<tally> tallies(rt);
  const traversal all{tree, tallies};
  rt.run([&] { visit{tree.root(), 0, all}(); });
  return tallies.combine(tally{}, [](const tally& a, const tally& b) { return a + b; });
}

}  // namespace leat::kernels::uts
