#include "kernels/uts.hpp"

#include "kernels/worker_slots.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/task/fork_each.hpp>
#include <leat/task/spawn.hpp>
#include <leat/task/task_group.hpp>

#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

namespace leat::kernels::uts {

namespace {

constexpr double node_ns = 43;  // its hash, most of it

struct waiting_node {
  state self;
  std::uint32_t depth;
};

// What all tasks of a traversal share, and how they make a task: plain ones, or all in one group, so that only the root
// waits.
template <class P>
struct plain_traversal {
  const uts::tree& tree;
  worker_slots<P, tally>& tallies;

  template <class Task>
  void make(Task task) const {
    task::spawn<P>(task);
  }
};

template <class P>
struct grouped_traversal {
  const uts::tree& tree;
  worker_slots<P, tally>& tallies;
  task::task_group<P>& group;

  template <class Task>
  void make(Task task) const {
    group.spawn(task);
  }
};

// The task of one node. The parent hashes: it lays out the block once for all its children, and the hashes of siblings
// overlap in the CPU, as they do in the serial traversal.
//
// The state is kept in words that are stored and loaded again one by one, in the same width, between the hash, the task
// record and the task: an array would be copied sixteen bytes at a time across such words, too early for the CPU to
// forward their stores. That would cost 4 ns a node, several times what the rest of the task costs.
template <class Traversal>
class visit {
 public:
  visit(const state& self, std::uint32_t depth, const Traversal& all) noexcept
      : last_(self.word[4]), depth_(depth), all_(&all) {
    std::memcpy(&first_, &self.word[0], sizeof first_);
    std::memcpy(&second_, &self.word[2], sizeof second_);
  }

  // Inlined into the task record's function, so that a leaf, as most nodes are, sets up no frame for children.
  [[gnu::always_inline]] void operator()() const {
    platform::chosen::work_ns(node_ns);
    const state self = unpacked();
    const std::uint32_t children = all_->tree.children(self, depth_);
    tally& found = all_->tallies.local();
    if (children == 0) return found.add_leaf();
    found.add_inner(depth_);
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
                                               const Traversal& all) {
    child_hash hash{parent};
    for (std::uint32_t i = 0; i < children; ++i) all.make(visit{hash(i), depth, all});
  }

  std::uint64_t first_;
  std::uint64_t second_;
  std::uint32_t last_;
  std::uint32_t depth_;
  const Traversal* all_;
};
// Small enough for any scheduler's task slot, and copied without a call.
static_assert(sizeof(visit<plain_traversal<platform::chosen>>) <= 56 &&
              std::is_trivially_copyable_v<visit<plain_traversal<platform::chosen>>>);

// An explicit stack of nodes does not overflow on T3L and T3XXL, which are tens of thousands of levels deep. A node is
// looked at where it lies, and its children are hashed to where they are to lie: to copy a node that was just written
// would wait for it.
tally count_below(const tree& tree, const state& top, std::uint32_t depth) {
  constexpr std::size_t waiting_first = 64;  // subtrees are small as a rule
  tally found;
  std::vector<waiting_node> waiting(waiting_first);
  waiting[0] = {top, depth};
  std::size_t count = 1;
  while (count != 0) {
    platform::chosen::work_ns(node_ns);
    const waiting_node& node = waiting[--count];
    const std::uint32_t children = tree.children(node.self, node.depth);
    if (children == 0) {
      found.add_leaf();
      continue;
    }
    found.add_inner(node.depth);
    const std::uint32_t below = node.depth + 1;
    child_hash hash{node.self};
    if (waiting.size() - count < children) waiting.resize(2 * waiting.size() + children);
    for (std::uint32_t i = 0; i < children; ++i, ++count) {
      hash.write(i, waiting[count].self);
      waiting[count].depth = below;
    }
  }
  return found;
}

// A traversal by fork/join. What it finds is added up worker by worker, so that joins have nothing to hand on, and leaves
// have nothing to tell: who has children counts them for leaves, and itself no longer.
template <class P>
class forked_traversal {
 public:
  using context = task::context<P>;

  forked_traversal(const uts::tree& tree, worker_slots<P, tally>& tallies) : tree_(tree), tallies_(tallies) {}

  void visit_root(context c) const {
    platform::chosen::work_ns(node_ns);
    const state root = tree_.root();
    const std::uint32_t children = tree_.children(root, 0);
    tallies_.local().add_leaf();
    if (children != 0) visit_inner(c, root, children, 0);
  }

 private:
  // The stack holds all forks between the root and a node, so levels have a limit: at half a KiB each, these are an eighth
  // of the 8 MiB that a thread usually has. A wait executes only what descends from its fork, so thieves go no deeper. T3
  // has 1572 levels.
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::uint32_t levels_max = 512;  // whose frames are several times as large
#else
  static constexpr std::uint32_t levels_max = 2048;
#endif

  // As many siblings are hashed at once, so that the hashes overlap in the CPU.
  static constexpr std::uint32_t row_max = 8;

  // Apart from who looks at the node, so that a leaf, as most nodes are, sets up no frame for children. All that an inner
  // node of a row's size does is here, the hashes first: what is longest begins soonest.
  [[gnu::noinline]] void visit_inner(context c, const state& node, std::uint32_t children, std::uint32_t depth) const {
    if (children > row_max || depth > levels_max) [[unlikely]]
      return visit_large(c, node, children, depth);
    std::array<state, row_max> row;
    hash_row(node, 0, children, row);
    tallies_.local().add_inner(depth, children);
    visit_row(c, row, children, depth + 1);
  }

  [[gnu::noinline]] void visit_large(context c, const state& node, std::uint32_t children, std::uint32_t depth) const {
    tally& found = tallies_.local();
    if (depth > levels_max) {
      found = found + count_below(tree_, node, depth);
      --found.leaves;
      return;
    }
    found.add_inner(depth, children);
    visit_halves(c, node, 0, children, depth + 1);
  }

  // The children from `first` to `last`: by halves, until they are a row.
  [[gnu::noinline]] void visit_halves(context c, const state& parent, std::uint32_t first, std::uint32_t last,
                                      std::uint32_t depth) const {
    if (last - first <= row_max) {
      std::array<state, row_max> row;
      hash_row(parent, first, last - first, row);
      return visit_row(c, row, last - first, depth);
    }
    const std::uint32_t middle = first + (last - first) / 2;
    task::fork_join<P>(
        c, [&, this](context inner) { visit_halves(inner, parent, first, middle, depth); },
        [&, this](context inner) { visit_halves(inner, parent, middle, last, depth); });
  }

  [[gnu::always_inline]] static void hash_row(const state& parent, std::uint32_t first, std::uint32_t count,
                                              std::array<state, row_max>& row) {
    child_hash hash{parent};
    for (std::uint32_t i = 0; i < count; ++i) hash.write(first + i, row[i]);
  }

  // The children of siblings are all drawn in the same way, as these are of one depth.
  [[gnu::always_inline]] void visit_row(context c, const std::array<state, row_max>& row, std::uint32_t count,
                                        std::uint32_t depth) const {
    const auto draw_geometrically = [](const uts::tree& tree, const state& node, std::uint32_t at) {
      return tree.geometric_children(node, at);
    };
    const auto draw_binomially = [](const uts::tree& tree, const state& node, std::uint32_t) {
      return tree.binomial_children(node);
    };
    if (tree_.is_cut_at(depth)) [[unlikely]]
      visit_leaves(c, row.data(), count, depth);
    else if (tree_.is_geometric(depth)) visit_each(c, row.data(), count, depth, draw_geometrically);
    else visit_each(c, row.data(), count, depth, draw_binomially);
  }

  // Out of line: its frame would be part of that of each level of a deep tree.
  [[gnu::noinline]] void visit_leaves(context c, const state* row, std::uint32_t count, std::uint32_t depth) const {
    visit_each(c, row, count, depth, [](const uts::tree&, const state&, std::uint32_t) { return std::uint32_t{0}; });
  }

  template <class Draw>
  [[gnu::always_inline]] void visit_each(context c, const state* row, std::uint32_t count, std::uint32_t depth,
                                         Draw draw) const {
    const auto visit = [this, depth, draw](context inner, const state& node) {
      platform::chosen::work_ns(node_ns);
      const std::uint32_t children = draw(tree_, node, depth);
      if (children != 0) visit_inner(inner, node, children, depth);
    };
    task::fork_each<P>(c, row, row + count, visit);
  }

  const uts::tree tree_;  // a copy, so that a task reaches it through one pointer
  worker_slots<P, tally>& tallies_;
};

template <class P, class Runtime>
tally count(Runtime& rt, const tree& tree, construct with) {
  worker_slots<P, tally> tallies(rt.workers());
  if (with == construct::fork) {
    const forked_traversal<P> all(tree, tallies);
    rt.run([&] { task::with_context<P>([&](task::context<P> c) { all.visit_root(c); }); });
  } else if (with == construct::group) {
    rt.run([&] {
      task::task_group<P> group;
      const grouped_traversal<P> all{tree, tallies, group};
      visit(tree.root(), 0, all)();
      group.wait();
    });
  } else {
    const plain_traversal<P> all{tree, tallies};
    rt.run([&] { visit(tree.root(), 0, all)(); });
  }
  return tallies.sum();
}

}  // namespace

tally count_serially(const tree& tree) { return count_below(tree, tree.root(), 0); }

tally count_in_parallel(runtime& rt, const tree& tree, construct with) {
  return count<platform::chosen>(rt, tree, with);
}

tally count_in_parallel(counted_runtime& rt, const tree& tree, construct with) {
  return count<platform::counted>(rt, tree, with);
}

}  // namespace leat::kernels::uts
