#include "simulated_cluster.hpp"

#include "json_text.hpp"
#include "kernels/range.hpp"
#include "kernels/uts.hpp"
#include "option_values.hpp"
#include "progress.hpp"

#include <leat/platform/native.hpp>
#include <leat/platform/simulated.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace leat::sim {

namespace uts = kernels::uts;
using nlohmann::ordered_json;

namespace {

struct node_to_visit {
  uts::state self;
  std::uint32_t depth;
};

// Threads of a world.
constexpr std::int64_t workers_of_all_max = 8000;

// Longest times of a network and of a node of the tree: one second.
constexpr double us_max = 1e6;

constexpr double gb_s_min = 1e-3, gb_s_max = 1e6;

double in_seconds(std::uint64_t ns) { return 1e-9 * static_cast<double>(ns); }

void check_us(const char* option, double us) {
  if (!(us >= 0 && us <= us_max)) cli::refuse(option, fmt::format("{}", us), fmt::format("must be 0 to {}", us_max));
}

}  // namespace

simulated_cluster::simulated_cluster(CLI::App& program)
    : command_(
          program.add_subcommand("cluster", "Unbalanced tree search on simulated ranks with several workers each")) {
  uts_.add_to(*command_);
  cli::add_number(*command_, "--node-us", node_us_, "Simulated microseconds of work at each node of the tree");
  cli::add_number(*command_, "--ranks", ranks_, "Ranks of the cluster");
  cli::add_number(*command_, "--nodes", nodes_, "Nodes of the cluster, in place of --ranks");
  cli::add_number(*command_, "--workers", workers_, "Workers of each rank");
  cli::add_number(*command_, "--ranks-of-a-node", ranks_of_a_node_, "Ranks in a row that share a node");
  flags_.add_to(*command_);
  cli::add_number(*command_, "--latency-us", times_.latency_us, "Microseconds of one way between two nodes");
  cli::add_number(*command_, "--same-node-us", times_.same_node_us,
                  "Microseconds of one way between two ranks of a node");
  cli::add_number(*command_, "--call-us", times_.call_us, "Microseconds that each call of the network takes a rank");
  cli::add_number(*command_, "--gb-s", times_.gb_s, "Gigabytes a second of one way between two ranks");
  cli::add_number(*command_, "--seed", seed_, "Seed that makes each way up to 1 % longer, at random; 0: none");
  command_->add_flag("--json", json_, "Print JSON");
  cli::add_no_progress(*command_, no_progress_);
}

std::string simulated_cluster::summary() const {
  return fmt::format("{:<17} {}", command_->get_name(), command_->get_description());
}

void simulated_cluster::choose() {
  uts_.choose();
  if (command_->count("--construct") != 0)
    cli::refuse("--construct", "'" + std::string(name(uts_.construct())) + "'",
                "a cluster has tasks of its own; leave it out");
  check_us("--node-us", node_us_);
  choose_network();
  choose_ranks();
  if (seed_ < 0) cli::refuse("--seed", std::to_string(seed_), "must not be negative");
  options_ = flags_.chosen(workers_);
}

void simulated_cluster::choose_ranks() {
  kernels::check_range("--workers", workers_, 1, workers_of_all_max);
  const std::int64_t ranks_most = workers_of_all_max / workers_;
  if (nodes_) {
    if (command_->count("--ranks") != 0)
      cli::refuse("--nodes", std::to_string(*nodes_), "leave out --ranks, or give --ranks alone");
    kernels::check_range("--ranks-of-a-node", ranks_of_a_node_, 1, ranks_most);
    kernels::check_range("--nodes", *nodes_, 1, ranks_most / ranks_of_a_node_);
    ranks_ = *nodes_ * ranks_of_a_node_;
  }
  kernels::check_range("--ranks", ranks_, 1, ranks_most);
  kernels::check_range("--ranks-of-a-node", ranks_of_a_node_, 1, ranks_);
}

void simulated_cluster::choose_network() {
  check_us("--latency-us", times_.latency_us);
  check_us("--same-node-us", times_.same_node_us);
  check_us("--call-us", times_.call_us);
  if (!(times_.gb_s >= gb_s_min && times_.gb_s <= gb_s_max)) {
    cli::refuse("--gb-s", fmt::format("{}", times_.gb_s), fmt::format("must be {} to {}", gb_s_min, gb_s_max));
  }
}

// All ranks together. The clock of rank 0 is read when all are there, and when it has the result.
void simulated_cluster::count_on(cluster& on, const uts::tree& tree, found& into) const {
  const auto expand = [&tree, this](const node_to_visit& node, const auto& emit) {
    work_ns(1000 * node_us_);
    uts::child_hash hash{node.self};
    const std::uint32_t children = tree.children(node.self, node.depth);
    for (std::uint32_t i = 0; i < children; ++i) emit(node_to_visit{hash(i), node.depth + 1});
    return std::uint64_t{1};
  };
  (void)on.reduce(0, std::plus<>{});
  const std::uint64_t begun_ns = platform::simulated::now_ns();
  const auto nodes = on.run(std::array{node_to_visit{tree.root(), 0}}, std::uint64_t{0}, expand, std::plus<>{});
  const std::uint64_t took_ns = platform::simulated::now_ns() - begun_ns;
  const rank_counters all = on.reduce(on.counters(), std::plus<>{});
  if (on.rank() != 0) return;
  into.nodes = nodes;
  into.seconds = in_seconds(took_ns);
  into.counters = all;
}

simulated_cluster::found simulated_cluster::simulate_ranks() const {
  found f;
  const uts::tree tree(uts_.tree());
  const auto ranks = static_cast<ranks::rank_id>(ranks_);
  const std::uint64_t begun_ns = platform::native::now_ns();
  f.world = simulate({}, [&] {
    network joined(ranks, static_cast<ranks::rank_id>(ranks_of_a_node_), times_, static_cast<std::uint64_t>(seed_));
    const auto on_rank = [&](ranks::rank_id r) {
      cluster on(joined.end_of(r), options_);
      count_on(on, tree, f);
    };
    std::vector<platform::simulated::thread> others;
    for (ranks::rank_id r = 1; r < ranks; ++r) others.emplace_back([&on_rank, r] { on_rank(r); });
    on_rank(0);
    for (auto& t : others) t.join();
  });
  f.host_seconds = in_seconds(platform::native::now_ns() - begun_ns);
  check(f, tree);
  return f;
}

void simulated_cluster::check(const found& f, const uts::tree& tree) const {
  const std::uint64_t nodes = uts_.known() != nullptr ? uts_.known()->nodes : uts::count_serially(tree).nodes();
  if (f.nodes == nodes) return;
  throw std::runtime_error(fmt::format("leat: the ranks counted {} nodes of a tree that has {}", f.nodes, nodes));
}

void simulated_cluster::run() {
  choose();
  cli::progress shown(!no_progress_);
  const cli::progress::step now(shown, fmt::format("{} ranks of {} workers", ranks_, workers_));
  report(simulate_ranks());
}

void simulated_cluster::report(const found& f) const {
  const double of_all = f.seconds * static_cast<double>(ranks_ * workers_);
  const double efficiency = static_cast<double>(f.nodes) * node_us_ * 1e-6 / of_all;
  const double per_second = static_cast<double>(f.nodes) / f.seconds;
  if (!json_) {
    std::cout << fmt::format(
        "uts {}, {} ranks of {} workers, engine {}, simulated\n"
        "  {} nodes in {:.6f} s, {:.0f} a second; efficiency {:.3f}\n"
        "  {} requests, {} met, {} on the thief's node; {} prefetches, {} met; {} tasks moved\n"
        "  {} steps, trace {:016x}, {:.1f} s of this machine\n",
        uts_.in_options(), ranks_, workers_, options_.engine, f.nodes, f.seconds, per_second, efficiency,
        f.counters[rank_event::requests], f.counters[rank_event::answers_work], f.counters[rank_event::steals_inside],
        f.counters[rank_event::prefetches], f.counters[rank_event::prefetches_met], f.counters[rank_event::tasks_given],
        f.world.steps, f.world.trace, f.host_seconds);
    return;
  }
  ordered_json counters;
  for (std::size_t i = 0; i < rank_events; ++i) {
    const auto e = static_cast<rank_event>(i);
    counters[std::string(name(e))] = f.counters[e];
  }
  ordered_json parameters = uts_.to_json();
  parameters.erase("construct");
  const ordered_json all{{"benchmark", "cluster"},
                         {"parameters", std::move(parameters)},
                         {"node_us", node_us_},
                         {"engine", options_.engine},
                         {"prefetch", options_.prefetch},
                         {"prefetch_victim", options_.prefetch_victim},
                         {"victims", options_.victims},
                         {"ranks_per_node", options_.ranks_per_node},
                         {"chunk", options_.chunk},
                         {"threshold", options_.threshold},
                         {"poll_us", options_.poll_us},
                         {"ranks", ranks_},
                         {"workers", workers_},
                         {"ranks_of_a_node", ranks_of_a_node_},
                         {"latency_us", times_.latency_us},
                         {"same_node_us", times_.same_node_us},
                         {"seed", seed_},
                         {"call_us", times_.call_us},
                         {"gb_s", times_.gb_s},
                         {"count", f.nodes},
                         {"seconds", f.seconds},
                         {"nodes_per_second", per_second},
                         {"efficiency", efficiency},
                         {"counters", std::move(counters)},
                         {"steps", f.world.steps},
                         {"trace", fmt::format("{:016x}", f.world.trace)},
                         {"host_seconds", f.host_seconds}};
  std::cout << cli::as_text(all) << '\n';
}

}  // namespace leat::sim
