#include "uts_command.hpp"

#include "kernels/uts.hpp"
#include "kernels/uts_check.hpp"
#include "measurement.hpp"
#include "memory.hpp"
#include "option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>

namespace leat::cli {

namespace uts = kernels::uts;

namespace {

constexpr std::array constructs = {kernels::construct::spawn, kernels::construct::fork, kernels::construct::group};

constexpr std::array tree_options = {"-t", "-b", "-r", "-q", "-m", "-d", "-a"};

std::string names_of_known_trees() {
  std::string names;
  for (const uts::known_tree& known : uts::known_trees()) {
    if (!names.empty()) names += ", ";
    names += known.name;
  }
  return names;
}

// The options that make this tree, and no others.
std::string as_options(const uts::parameters& p) {
  std::string text = fmt::format("-t {}", static_cast<int>(p.type));
  if (p.type != uts::kind::binomial) text += fmt::format(" -a {} -d {}", static_cast<int>(p.form), p.depth);
  text += fmt::format(" -b {} -r {}", p.branching, p.seed);
  if (p.type != uts::kind::geometric) text += fmt::format(" -q {} -m {}", p.inner_probability, p.inner_children);
  return text;
}

std::string footer() {
  std::string text = fmt::format(
      "Without --tree and tree options, the default tree of the benchmark is counted: {}.\n\nTrees:\n", as_options({}));
  for (const uts::known_tree& known : uts::known_trees()) {
    text += fmt::format("  {:<6} {:<48} {:>10} nodes\n", known.name, as_options(known.tree), known.nodes);
  }
  return text;
}

nlohmann::ordered_json to_json(const uts::parameters& p, const uts::known_tree* known) {
  return {
      {"tree", known ? nlohmann::ordered_json(std::string(known->name)) : nlohmann::ordered_json()},
      {"type", std::string(uts::name(p.type))},
      {"shape", std::string(uts::name(p.form))},
      {"t", static_cast<int>(p.type)},
      {"a", static_cast<int>(p.form)},
      {"d", p.depth},
      {"b", p.branching},
      {"r", p.seed},
      {"q", p.inner_probability},
      {"m", p.inner_children},
  };
}

// Why the count is right, for people.
std::string verdict(const uts::tally_check& check, const uts::known_tree* known, bool serial) {
  if (!check.ok()) return "WRONG: " + check.failure();
  if (known) return fmt::format("ok, {} has {} nodes", known->name, known->nodes);
  return serial ? "ok, as the serial traversal" : "not compared with anything";
}

}  // namespace

uts_command::uts_command(CLI::App& program)
    : command_(program.add_subcommand("uts", "Unbalanced tree search: count the nodes of an irregular tree")),
      type_(static_cast<int>(parameters_.type)),
      shape_(static_cast<int>(parameters_.form)) {
  add_tree_options();
  add_word<kernels::construct>(*command_, "--construct", construct_, constructs, "What the tasks are made with");
  flags_.add_to(*command_);
  command_->footer(footer());
}

void uts_command::add_tree_options() {
  command_->add_option("--tree", tree_name_, "A tree by name, see below, instead of the options -t to -a")
      ->type_name("NAME");
  add_number(*command_, "-t", type_, "Type: 0 binomial, 1 geometric, 2 hybrid");
  add_number(*command_, "-b", parameters_.branching, "Branching factor at the root");
  add_number(*command_, "-r", parameters_.seed, "Seed of the root");
  add_number(*command_, "-q", parameters_.inner_probability, "Binomial: probability of having children");
  add_number(*command_, "-m", parameters_.inner_children, "Binomial: children of a node that has any");
  add_number(*command_, "-d", parameters_.depth, "Geometric: depth of the tree");
  add_number(*command_, "-a", shape_, "Geometric: shape, 0 linear, 1 exponential, 2 cyclic, 3 fixed");
}

// Sets the parameters. Returns the known tree that they describe, or null.
const uts::known_tree* uts_command::choose_tree() {
  if (command_->count("--tree") == 0) {
    if (type_ < 0 || type_ > static_cast<int>(uts::kind::hybrid))
      refuse("-t", std::to_string(type_), "must be 0, 1 or 2");
    if (shape_ < 0 || shape_ > static_cast<int>(uts::shape::fixed)) {
      refuse("-a", std::to_string(shape_), "must be 0, 1, 2 or 3");
    }
    parameters_.type = static_cast<uts::kind>(type_);
    parameters_.form = static_cast<uts::shape>(shape_);
    return uts::find_known_tree(parameters_);
  }
  const uts::known_tree* const known = uts::find_known_tree(tree_name_);
  if (!known) refuse("--tree", "'" + tree_name_ + "'", "must be one of " + names_of_known_trees());
  for (const char* const option : tree_options) {
    if (command_->count(option) == 0) continue;
    refuse("--tree", "'" + tree_name_ + "'",
           fmt::format("a tree by name has its own {}; give one or the other", option));
  }
  parameters_ = known->tree;
  return known;
}

int uts_command::run() {
  const uts::known_tree* const known = choose_tree();
  const unsigned repeat = flags_.repeat();
  const bool by_default =
      command_->count("--tree") == 0 &&
      std::ranges::none_of(tree_options, [this](const char* option) { return command_->count(option) != 0; });
  const uts::tree tree(parameters_);
  auto rt = start<runtime>(flags_.options());

  uts::tally_check check(known);
  std::vector<reference> references;
  if (flags_.serial()) {
    references.push_back(
        {"serial", [&] { return seconds_taken([&] { check.take("serial", uts::count_serially(tree)); }); }});
  }
  measurement m;
  m.benchmark = "uts";
  m.parameters = to_json(parameters_, known);
  m.parameters["construct"] = std::string(name(construct_));
  m.scheduler = rt.scheduler();
  m.steal = flags_.steal();
  m.workers = rt.workers();
  m.repeat = repeat;
  m.times = with_memory_for("the tree of uts " + as_options(parameters_), [&] {
    return measure(rt, repeat, references, [&] {
      return seconds_taken([&] { check.take("parallel", uts::count_in_parallel(rt, tree, construct_)); });
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

  const std::string_view title = known ? known->name : by_default ? "default tree, as none was named" : "tree";
  if (flags_.json()) {
    std::cout << to_json(m).dump(2) << '\n';
  } else {
    std::cout << fmt::format("uts {} ({}; construct {})\n", title, as_options(parameters_), name(construct_))
              << fmt::format("count     {} nodes, {} leaves, depth {}\n", found.nodes(), found.leaves, found.max_depth)
              << to_text(m) << fmt::format("nodes/s   {:.3f} million\n", nodes_per_second / 1e6)
              << fmt::format("result    {}\n", verdict(check, known, flags_.serial()));
  }
  if (!check.ok()) std::cerr << "leat: uts: " << check.failure() << '\n';
  return check.ok() ? 0 : 1;
}

}  // namespace leat::cli
