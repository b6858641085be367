// leat_at_scale: UTS on the ranks of a cluster that SimGrid's SMPI simulates. Each node of the tree stands for some simulated
// work. Rank 0 writes one line of JSON.

#include "kernels/uts_tree.hpp"

#include <leat/cluster.hpp>
#include <leat/cluster_mpi.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

namespace uts = leat::kernels::uts;
using leat::rank_event;

struct waiting_node {
  uts::state self;
  std::uint32_t depth;
};

struct plan {
  std::string tree = "T1";
  double node_ns = 1000;
  bool no_prefetch = false;
  leat::cluster_options options;
};

uts::parameters tree_of(const plan& p) {
  if (const uts::known_tree* const known = uts::find_known_tree(p.tree)) return known->tree;
  throw std::invalid_argument("--tree = '" + p.tree + "': no such tree");
}

double in_seconds(std::uint64_t ns) { return 1e-9 * static_cast<double>(ns); }

int measure(leat::cluster& on, const plan& p) {
  const uts::tree tree(tree_of(p));
  const auto expand = [&](const waiting_node& node, const auto& emit) {
    leat::platform::chosen::work_ns(p.node_ns);
    uts::child_hash hash{node.self};
    const std::uint32_t children = tree.children(node.self, node.depth);
    for (std::uint32_t i = 0; i < children; ++i) emit(waiting_node{hash(i), node.depth + 1});
    return std::uint64_t{1};
  };
  (void)on.reduce(0, std::plus<>{});  // so that no rank's way here is part of the time
  const std::uint64_t begin_ns = leat::platform::chosen::now_ns();
  const auto nodes = on.run(std::array{waiting_node{tree.root(), 0}}, std::uint64_t{0}, expand, std::plus<>{});
  const double seconds = in_seconds(leat::platform::chosen::now_ns() - begin_ns);
  const leat::rank_counters all = on.reduce(on.counters(), std::plus<>{});
  if (on.rank() != 0) return 0;
  const double of_all = seconds * on.ranks();
  nlohmann::ordered_json report = {
      {"tree", p.tree},
      {"engine", p.options.engine},
      {"prefetch", p.options.prefetch},
      {"ranks", on.ranks()},
      {"node_ns", p.node_ns},
      {"count", nodes},
      {"seconds", seconds},
      {"efficiency", static_cast<double>(nodes) * p.node_ns * 1e-9 / of_all},
      {"lost_seeking", in_seconds(all[rank_event::idle_seeking_ns]) / of_all},
      {"lost_ending", in_seconds(all[rank_event::idle_ending_ns]) / of_all},
  };
  for (std::size_t i = 0; i < leat::rank_events; ++i) {
    const auto e = static_cast<rank_event>(i);
    report["counters"][std::string(name(e))] = all[e];
  }
  std::cout << report.dump() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    plan p;
    CLI::App program("Unbalanced tree search on a simulated cluster.", "leat_at_scale");
    program.add_option("--tree", p.tree, "A tree by name, as leat uts has them");
    program.add_option("--node-ns", p.node_ns, "Simulated nanoseconds of work at each node");
    program.add_option("--engine", p.options.engine, "messages, rma, two-sided");
    program.add_option("--poll-us", p.options.poll_us, "Microseconds between two polls of a busy rank");
    program.add_option("--attempts", p.options.attempts,
                       "Engine messages: ranks that a steal request asks before it goes to the idle pool");
    program.add_flag("--no-prefetch", p.no_prefetch, "Engine rma: ask only when there is no work left");
    CLI11_PARSE(program, argc, argv);
    p.options.prefetch = !p.no_prefetch;
    leat::cluster on(leat::mpi_transport(&argc, &argv), p.options);
    return measure(on, p);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
