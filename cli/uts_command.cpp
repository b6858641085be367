#include "uts_command.hpp"

#include "kernels/uts.hpp"
#include "kernels/uts_check.hpp"
#include "measurement.hpp"
#include "numbers.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>

namespace leat::cli {

namespace uts = kernels::uts;

namespace {

constexpr std::int64_t repeat_max = 1'000'000;

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
  std::string text = "Trees:\n";
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
  runtime_.add_to(*command_);
  command_->add_option("--repeat", repeat_, "Serial and parallel runs, taking turns; medians are reported")
      ->check(whole_number())
      ->capture_default_str();
  command_->add_flag("--no-serial", no_serial_, "Skip the serial traversal");
  command_->add_flag("--json", json_, "Report one JSON object on standard output");
  command_->footer(footer());
}

void uts_command::add_tree_options() {
  CLI::Option* const tree = command_->add_option("--tree", tree_name_, "A tree by name; see below");
  const auto add = [&](const char* letter, auto& value, const CLI::Validator& number, const char* description) {
    tree->excludes(command_->add_option(letter, value, description)->check(number)->capture_default_str());
  };
  add("-t", type_, whole_number(), "Type: 0 binomial, 1 geometric, 2 hybrid");
  add("-b", parameters_.branching, real_number(), "Branching factor at the root");
  add("-r", parameters_.seed, whole_number(), "Seed of the root");
  add("-q", parameters_.inner_probability, real_number(), "Binomial: probability of having children");
  add("-m", parameters_.inner_children, whole_number(), "Binomial: children of a node that has any");
  add("-d", parameters_.depth, whole_number(), "Geometric: depth of the tree");
  add("-a", shape_, whole_number(), "Geometric: shape, 0 linear, 1 exponential, 2 cyclic, 3 fixed");
}

int uts_command::run() {
  const bool by_name = command_->count("--tree") > 0;
  const uts::known_tree* known = by_name ? uts::find_known_tree(tree_name_) : nullptr;
  if (by_name && !known) {
    throw std::invalid_argument(
        fmt::format("--tree = {}: no such tree; known are {}", tree_name_, names_of_known_trees()));
  }
  if (repeat_ < 1 || repeat_ > repeat_max) {
    throw std::invalid_argument(fmt::format("--repeat = {}: must be between 1 and {}", repeat_, repeat_max));
  }
  if (known) {
    parameters_ = known->tree;
  } else {
    parameters_.type = static_cast<uts::kind>(type_);
    parameters_.form = static_cast<uts::shape>(shape_);
    known = uts::find_known_tree(parameters_);
  }
  const uts::tree tree(parameters_);
  runtime rt(runtime_.options());

  uts::tally_check check(known);
  std::function<void()> serial;
  if (!no_serial_) serial = [&] { check.take("serial", uts::count_serially(tree)); };
  measurement m;
  m.benchmark = "uts";
  m.parameters = to_json(parameters_, known);
  m.scheduler = rt.scheduler();
  m.workers = rt.workers();
  m.repeat = static_cast<unsigned>(repeat_);
  m.times = measure(rt, m.repeat, serial, [&] { check.take("parallel", uts::count_in_parallel(rt, tree)); });
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

  if (json_) {
    std::cout << to_json(m).dump(2) << '\n';
  } else {
    std::cout << fmt::format("uts {} ({})\n", known ? known->name : "tree", as_options(parameters_))
              << fmt::format("count     {} nodes, {} leaves, depth {}\n", found.nodes(), found.leaves, found.max_depth)
              << to_text(m) << fmt::format("nodes/s   {:.3f} million\n", nodes_per_second / 1e6)
              << fmt::format("result    {}\n", verdict(check, known, !no_serial_));
  }
  if (!check.ok()) std::cerr << "leat: uts: " << check.failure() << '\n';
  return check.ok() ? 0 : 1;
}

}  // namespace leat::cli
