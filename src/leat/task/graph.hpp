// Task graphs: nodes that are executed when what comes before them is done. Rules GRAPH: docs/internals/graphs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>

#include "leat/platform/order.hpp"
#include "leat/task/graph_nodes.hpp"
#include "leat/task/graph_plan.hpp"
#include "leat/task/insider.hpp"
#include "leat/task/task_group.hpp"

namespace leat::inline LEAT_ABI::task {

/// See leat::graph. The plan has the shape, the nodes have what a run needs, and this class executes them as tasks of a
/// group that lives as long as the run of the graph.
template <class P>
class graph {
  using number = graph_plan::number;
  using record = graph_node<P>;
  using group = task_group<P>;

 public:
  /// See leat::graph::node.
  class node {
   public:
    node() noexcept = default;
    /// For graph.
    node(graph& of, number n) noexcept : graph_(&of), number_(n) {}

    template <class... Nodes>
    node& precede(const Nodes&... others) {
      static_assert((std::is_same_v<Nodes, node> && ...), "leat::graph::node::precede: others must be nodes");
      (of("precede").connect("precede", *this, others), ...);
      return *this;
    }

    template <class... Nodes>
    node& succeed(const Nodes&... others) {
      static_assert((std::is_same_v<Nodes, node> && ...), "leat::graph::node::succeed: others must be nodes");
      (of("succeed").connect("succeed", others, *this), ...);
      return *this;
    }

    node& name(std::string text) {
      graph& g = of("name");
      g.check_still("name");
      g.plan_.set_name(number_, std::move(text));
      return *this;
    }
    std::string name() const { return of("name").plan_.name_of(number_); }

    friend bool operator==(const node&, const node&) = default;

    /// For graph: its number in `of`, which must be its graph, for the function `what`.
    number number_in(const graph& of, const char* what) const {
      if (graph_ != &of) throw_not_of_the_graph(what, graph_ == nullptr ? "" : name());
      return number_;
    }

   private:
    graph& of(const char* what) const {
      if (graph_ == nullptr) throw_not_of_the_graph(what, "");
      return *graph_;
    }

    graph* graph_ = nullptr;
    number number_ = 0;
  };

  graph() = default;
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  template <class F>
  node add(F&& f) {
    using callable = std::decay_t<F>;
    static_assert(std::is_invocable_v<callable&>, "leat::graph::add: f must be callable without arguments");
    static_assert(std::is_constructible_v<callable, F>,
                  "leat::graph::add: f is copied into the node; move what cannot be copied (std::move)");
    check_still("add");
    plan_.make_room();
    nodes_.template add<callable>(std::forward<F>(f));
    return node(*this, plan_.add_node());
  }

  std::size_t size() const noexcept { return nodes_.size(); }
  std::size_t edges() const noexcept { return plan_.edges(); }

  /// GRAPH-6: the cycle is found before the first node begins.
  void run(task::wait how = task::wait::own LEAT_SITE_PARAMETER) {
    const insider<P> in("graph::run");  // the group would name itself
    LEAT_CALLED_AT_SITE();
    [[maybe_unused]] const strands::whole_call<P> call;
    const running here(*this);
    group tasks;
    prepare();
    group_ = &tasks;
    if constexpr (strands::profiles<P>) {
      if (call.here() != nullptr) make_nodes(*call.here());
    }
    if (const std::vector<number>& roots = plan_.roots(); !roots.empty())
      tasks.spawn_told(release_task{this, roots.data(), static_cast<number>(roots.size())});
    whole_ = false;
    tasks.wait(how);
    whole_ = skipped_.load(platform::relaxed) == 0;  // relaxed: the wait has made it visible
  }

  // relaxed, both: a hint; nothing is read because of it.
  void cancel() noexcept { cancelled_.store(1, platform::relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(platform::relaxed) != 0; }

  std::string dot() const { return plan_.dot(); }
  friend std::ostream& operator<<(std::ostream& out, const graph& g) {
    g.plan_.write_dot(out);
    return out;
  }

 private:
  // Successors that one worker counts down by itself; of more it leaves half to others (GRAPH-5).
  static constexpr number released_alone_max = 32;

  // Successors that are fetched ahead.
  static constexpr number fetched_max = 4;

  // GRAPH-7: the graph while run() is under way.
  class running {
   public:
    // acquire: pairs with the store below, as the run before may have been another worker's.
    explicit running(graph& g) : graph_(g) {
      if (g.runs_.exchange(1, platform::acquire) != 0) throw_graph_runs("run");
    }
    running(const running&) = delete;
    running& operator=(const running&) = delete;
    ~running() {
      if constexpr (strands::profiles<P>) graph_.leave_nodes();
      graph_.cancelled_.store(0, platform::relaxed);  // relaxed: the next line publishes it
      graph_.runs_.store(0, platform::release);  // pairs with the exchange above
    }

   private:
    graph& graph_;
  };

  // Tasks of the group. Where the group was cancelled they are told so, and note that nodes were skipped (GRAPH-8).
  struct node_task {
    graph* of;
    record* next;
    void operator()(bool skip) const { of->execute(skip ? nullptr : next, skip); }
  };
  struct release_task {
    graph* of;
    const number* first;
    number count;
    void operator()(bool skip) const { of->execute(skip ? nullptr : of->release(first, count), skip); }
  };
  static_assert(work::record::fits_owned<node_task> && work::record::fits_owned<release_task>);

  // GRAPH-4: a node, then one of those that it has made ready, and so on. The loop, and not a recursion, makes a chain
  // of any length one task.
  void execute(record* n, bool skip = false) {
    for (; n != nullptr; n = release(plan_.after() + n->first_after, n->afters)) {
      skip = stopped();
      if (skip) break;
      fetch_afters(*n);
      begin(*n);
    }
    if (skip) skipped_.store(1, platform::relaxed);  // relaxed: it is read after the wait
  }

  void begin(record& n) {
    if constexpr (strands::profiles<P>) {
      if (n.part.made()) {
        strands::call_node<P>(n.part, group_->sums(), [&n] { n.begin(); });
        const number* const first = plan_.after() + n.first_after;
        for (number i = 0; i != n.afters; ++i) nodes_[first[i]].part.follows(n.part.ended());
        return;
      }
    }
    n.begin();
  }

  // Before a run that is measured: its caller makes all nodes.
  template <class Construct>
  void make_nodes(const Construct& call) {
    for (number i = 0; i != nodes_.size(); ++i) strands::make_node<P>(nodes_[i].part, group_->sums(), call);
    for (number i = 0; i != nodes_.size(); ++i) {
      const record& n = nodes_[i];
      const number* const first = plan_.after() + n.first_after;
      for (number k = 0; k != n.afters; ++k) nodes_[first[k]].part.awaits(n.part);
    }
  }

  // After a run: no node that was skipped is executed any more.
  void leave_nodes() noexcept {
    for (number i = 0; i != nodes_.size(); ++i) nodes_[i].part.left();
  }

  // Has the successors of a node come to the cache while it is executed: a read-modify-write would wait for each, one after the
  // other.
  void fetch_afters(const record& n) const noexcept {
    const number* const first = plan_.after() + n.first_after;
    for (number i = 0; i < n.afters && i < fetched_max; ++i) P::prefetch(&nodes_[first[i]], 0);
  }

  // Counts the nodes in this row down, and returns one that is ready, if any; the others that are become tasks.
  record* release(const number* first, number count) {
    while (count > released_alone_max) {
      const number upper = count / 2;
      count -= upper;
      group_->spawn_told(release_task{this, first + count, upper});
    }
    record* ready = nullptr;
    for (number i = 0; i != count; ++i) {
      record& n = nodes_[first[i]];
      if (!n.counts_down()) continue;
      P::prefetch(plan_.after() + n.first_after, 0);
      if (ready == nullptr) ready = &n;
      else group_->spawn_told(node_task{this, &n});
    }
    return ready;
  }

  // A cancellation of the graph becomes one of its group, so that groups inside nodes are cancelled with it.
  bool stopped() noexcept {
    if (cancelled()) [[unlikely]]
      group_->cancel();
    return group_->cancelled();
  }

  // GRAPH-1, GRAPH-8: arranges what is new, and mends the counts where the run before has not come to all nodes.
  void prepare() {
    skipped_.store(0, platform::relaxed);  // relaxed: no other thread knows the run yet
    if (plan_.arranged() && whole_) return;
    whole_ = false;
    plan_.arrange();
    for (number n = 0; n != nodes_.size(); ++n) {
      record& r = nodes_[n];
      r.first_after = plan_.first_after(n);
      r.afters = plan_.first_after(n + 1) - r.first_after;
      r.wait_for(plan_.before(n));
    }
  }

  void check_still(const char* what) const {
    if (runs_.load(platform::relaxed) != 0) [[unlikely]]  // relaxed: to find a mistake
      throw_graph_runs(what);
  }

  void connect(const char* what, const node& from, const node& to) {
    const number a = from.number_in(*this, what);
    const number b = to.number_in(*this, what);
    check_still(what);
    plan_.add_edge(a, b);
  }

  graph_plan plan_;
  graph_nodes<P> nodes_;
  group* group_ = nullptr;  // of the run under way
  bool whole_ = false;  // the run before has come to all nodes
  typename P::template atomic<std::uint32_t> runs_{0};
  typename P::template atomic<std::uint32_t> cancelled_{0};
  typename P::template atomic<std::uint32_t> skipped_{0};
};

}  // namespace leat::inline LEAT_ABI::task
