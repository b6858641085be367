#include "uts_command.hpp"

#include "capacity.hpp"
#include "kernels/uts.hpp"
#include "kernels/uts_check.hpp"
#include "measurement.hpp"
#include "memory.hpp"

#include <fmt/format.h>

#include <iostream>
#include <optional>
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

uts_command::uts_command(CLI::App& parent, const char* description)
    : command_(parent.add_subcommand("uts", description)) {
  uts_.add_to(*command_);
  // Seen by main before anything is parsed here.
  command_->add_flag("--cluster")
      ->description("Count on the ranks of a cluster, with other options: see leat uts --cluster --help");
  add_counted(*command_, counted_);
  flags_.add_to(*command_);
}

int uts_command::run() {
  uts_.choose();
  return with_memory_for("the tree of uts " + uts_.in_options(), [this] { return measure_tree(); });
}

int uts_command::measure_tree() const {
  const uts::known_tree* const known = uts_.known();
  const leat::options options = flags_.options();
  const uts::tree tree(uts_.tree());
  progress shown(flags_.shows_progress());
  uts::tally_check check(known);
  measurement m;
  m.benchmark = "uts";
  m.parameters = uts_.to_json();
  m.steal = flags_.steal();
  m.choices = choices_json(options);
  m.repeat = flags_.repeat();
  {
    auto rt = start<runtime>(options);
    m.scheduler = rt.scheduler();
    m.workers = rt.workers();
    std::vector<reference> references;
    if (flags_.serial()) {
      references.push_back(
          {"serial", [&] { return seconds_taken([&] { check.take("serial", uts::count_serially(tree)); }); }});
    }
    std::vector<uts::tally> found(m.workers);
    if (flags_.capacity()) {
      references.push_back(capacity(m.workers, [&](unsigned thread) {
        return seconds_taken([&] { found[thread] = uts::count_serially(tree); });
      }));
    }
    m.times = measure(
        rt, m.repeat, references,
        [&] {
          return seconds_taken([&] { check.take("parallel", uts::count_in_parallel(rt, tree, uts_.construct())); });
        },
        shown);
    for (const uts::tally& one : found) {
      if (flags_.capacity()) check.take("serial", one);
    }
  }
  // After the timed runs, whose workers are gone by now.
  std::optional<counted_run> counted;
  if (counted_) {
    const progress::step now(shown, "counted run");
    counted = count_operations(uts_, tree, options, check);
  }
  m.result_ok = check.ok();
  const uts::tally& found = check.latest();
  const double nodes_per_second = static_cast<double>(found.nodes()) / m.times.seconds;
  m.results = {
      {"count", found.nodes()},
      {"expected_count", known ? nlohmann::ordered_json(known->nodes) : nlohmann::ordered_json()},
      {"nodes_per_second", nodes_per_second},
      {"max_depth", found.max_depth},
      {"leaves", found.leaves},
      {"counted", to_json(counted)},
  };

  if (flags_.json()) {
    std::cout << to_json(m).dump(2) << '\n';
  } else {
    std::cout << uts_.title() << '\n'
              << fmt::format("count     {} nodes, {} leaves, depth {}\n", found.nodes(), found.leaves, found.max_depth)
              << to_text(m) << fmt::format("nodes/s   {:.3f} million\n", nodes_per_second / 1e6)
              << (counted ? to_text(*counted, "node") : "")
              << fmt::format("result    {}\n", verdict(check, known, flags_.serial()));
  }
  if (!check.ok()) std::cerr << "leat: uts: " << check.failure() << '\n';
  return check.ok() ? 0 : 1;
}

}  // namespace leat::cli
