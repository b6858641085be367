// Task graphs: callables, and which must be done before which.
#pragma once

#include "leat/platform/chosen.hpp"
#include "leat/task/graph.hpp"

namespace leat::inline LEAT_ABI {

/// A graph of callables, with edges that say which must be done before which. It is made once and run any number of
/// times. Neither copied nor moved.
///
///     leat::graph g;
///     auto a = g.add([] { ... }), b = g.add([] { ... }), c = g.add([] { ... });
///     a.precede(b, c);  // b and c begin when a has ended
///     g.run();
///
/// - `add(f)`: adds a node with a decayed copy of f, and returns its handle. Each run calls it once, as f(). A callable
///   of at most 32 bytes lies in the node, which is a cache line; any other one is kept elsewhere. O(1) amortised.
///   Throws std::logic_error while the graph runs, std::length_error beyond 4,294,967,294 nodes or edges, and what
///   copying f or allocating throws.
/// - `run()`, `run(wait::any)`: calls every callable once, each after those that precede it, on any workers of the run.
///   What a callable did is visible to those after it. It waits as task_group::wait does, with the same errors. Then it
///   throws the first exception that a callable let out, if there is one; nodes that had not begun by then have been
///   skipped. A cancellation skips nodes, too, and run() returns normally. Afterwards the graph may be run again, on
///   any worker of any run. Throws std::invalid_argument if there is a cycle, naming a node of it, before anything is
///   called; std::logic_error if the graph is running already, also in one of its own nodes; not_a_worker inside
///   leat::blocking. The first run after a change takes O(nodes + edges) to arrange the nodes, and allocates. Other
///   runs allocate nothing. A node costs one read-modify-write at most for each node that precedes it; in a chain,
///   none.
/// - `cancel()`: nodes that have not begun are skipped until run() has returned. That holds for the run under way, or
///   else for the next. Groups and graphs that nodes wait for are cancelled as soon as a worker comes to the end of any
///   node. Any thread may call it while the graph lives.
/// - `cancelled()`: whether nodes are skipped at present.
/// - `size()`, `edges()`: how many nodes and edges there are.
/// - `dot()`, `out << g`: the graph in the language DOT, with the names of nodes. Graphviz draws it.
///
/// Thread safety: one thread at a time changes the graph or runs it. Handles and `dot()` count as the graph.
///
/// `graph::node` is a handle of a node: two words, to be copied; good while the graph lives.
/// - `a.precede(b...)`: each b begins when a has ended. `a.succeed(b...)`: a begins when each b has ended. Both return
///   a. An edge that is there twice counts twice, and does no harm. Both throw std::invalid_argument, naming it, for a
///   node of another graph and for a handle of no node; std::logic_error while the graph runs.
/// - `a.name("x")`: names the node, for messages and DOT. `a.name()`: its name, or "#" and its number.
using graph = task::graph<platform::chosen>;

}  // namespace leat::inline LEAT_ABI
