#include "uts_command.hpp"

#include "kernels/uts.hpp"
#include "kernels/uts_check.hpp"
#include "measurement.hpp"
#include "memory.hpp"

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <vector>

namespace leat::cli {

namespace uts = kernels::uts;

namespace {

// Why the count is right, for people.
std::string verdict(const uts::tally_check& check, const uts::known_tree* known, bool serial) {
  if (!check.ok()) return "WRONG: " + check.failure();
  if (known) return fmt::format("ok, {} has {} nodes", known->name, known->nodes);
  return serial ? "ok, as the serial traversal" : "not compared with anything";
}

}  // namespace

uts_command::uts_command(CLI::App& program)
    : command_(program.add_subcommand("uts", "Unbalanced tree search: count the nodes of an irregular tree")) {
  uts_.add_to(*command_);
  flags_.add_to(*command_);
}

int uts_command::run() {
  uts_.choose();
  const uts::known_tree* const known = uts_.known();
  const unsigned repeat = flags_.repeat();
  const uts::tree tree(uts_.tree());
  auto rt = start<runtime>(flags_.options());

  uts::tally_check check(known);
  std::vector<reference> references;
  if (flags_.serial()) {
    references.push_back(
        {"serial", [&] { return seconds_taken([&] { check.take("serial", uts::count_serially(tree)); }); }});
  }
  measurement m;
  m.benchmark = "uts";
  m.parameters = uts_.to_json();
  m.scheduler = rt.scheduler();
  m.steal = flags_.steal();
  m.workers = rt.workers();
  m.repeat = repeat;
  m.times = with_memory_for("the tree of uts " + uts_.in_options(), [&] {
    return measure(rt, repeat, references, [&] {
      return seconds_taken([&] { check.take("parallel", uts::count_in_parallel(rt, tree, uts_.construct())); });
    });
  });
  m.result_ok = check.ok();
  const uts::tally& found = check.latest();
  const double nodes_per_second = static_cast<double>(found.nodes()) / m.times.seconds;
  m.results = {
      {"count", found.nodes()},
      {"expected_count", known ? nlohmann::ordered_json(known->nodes) : nlohmann::ordered_json()},
      {"nodes_per_second", nodes_per_second},
      {"max_depth", found.max_depth},
      {"leaves", found.leaves},
  };

  if (flags_.json()) {
    std::cout << to_json(m).dump(2) << '\n';
  } else {
    std::cout << uts_.title() << '\n'
              << fmt::format("count     {} nodes, {} leaves, depth {}\n", found.nodes(), found.leaves, found.max_depth)
              << to_text(m) << fmt::format("nodes/s   {:.3f} million\n", nodes_per_second / 1e6)
              << fmt::format("result    {}\n", verdict(check, known, flags_.serial()));
  }
  if (!check.ok()) std::cerr << "leat: uts: " << check.failure() << '\n';
  return check.ok() ? 0 : 1;
}

}  // namespace leat::cli
