// Task graphs: callables, and which must be done before which.
#pragma once

#include "leat/platform/chosen.hpp"
#include "leat/task/graph.hpp"

namespace leat::inline LEAT_ABI {

/// A graph of callables, which is made once and run as often as one likes. Neither copied nor moved. docs/guide/graphs.md.
///
///     leat::graph g;
///     auto a = g.add([] { ... }), b = g.add([] { ... }), c = g.add([] { ... });
///     a.precede(b, c);  // b and c begin when a has ended
///     g.run();
///
/// - `add(f)`: one more node, with a decayed copy of f, and its handle. Each run calls it once, as f(). A callable of at most 32 bytes
///   lies in the node, which is a cache line; any other one is kept elsewhere. O(1) amortised. Throws std::logic_error while the graph runs,
///   std::length_error beyond 4,294,967,294 nodes or edges, and what copying f or allocating throws.
/// - `run()`, `run(wait::any)`: calls every callable once, each after those that precede it, on any workers of the run; what a
///   callable did is visible to those after it. Waits as task_group::wait does, with its words and errors. Then throws the first exception that a
///   callable let out, if one did; nodes that had not begun by then have been skipped. A cancellation skips them, too, and run()
///   returns normally. Afterwards the graph may be run again, on any worker of any run. Throws std::invalid_argument, naming a
///   node, before anything is called if there is a cycle; std::logic_error if the graph is running already, also in one of its own
///   nodes; not_a_worker inside leat::blocking. The first run after a change takes O(nodes + edges) to arrange the nodes, and allocates;
///   others allocate nothing. A node costs one read-modify-write at most for each node that precedes it; in a chain, none.
/// - `cancel()`: nodes that have not begun are skipped until run() has returned: the one that is under way, or else the next. Groups
///   and graphs that nodes wait for are cancelled as soon as a worker comes to the end of any node. Any thread, while the graph lives.
/// - `cancelled()`: whether that is so at present.
/// - `size()`, `edges()`: how many nodes and edges there are.
/// - `dot()`, `out << g`: the graph in the language DOT, with the names of nodes. Graphviz draws it.
///
/// One thread at a time changes the graph or runs it; handles and `dot()` count as the graph.
///
/// `graph::node` is a handle of a node, two words, to be copied; good while the graph lives.
/// - `a.precede(b...)`: each b begins when a has ended. `a.succeed(b...)`: a begins when each b has ended. Both return a. An edge that
///   is there twice counts twice, and does no harm. Throws std::invalid_argument, naming it, for a node of another graph, and for a
///   handle of none; std::logic_error while the graph runs.
/// - `a.name("x")` names the node, for messages and DOT; `a.name()`: its name, or "#" and its number.
using graph = task::graph<platform::chosen>;

}  // namespace leat::inline LEAT_ABI
