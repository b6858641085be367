#include "uts_flags.hpp"

#include "option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

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

std::string as_options(const uts::parameters& p) {
  std::string text = fmt::format("-t {}", static_cast<int>(p.type));
  if (p.type != uts::kind::binomial) text += fmt::format(" -a {} -d {}", static_cast<int>(p.form), p.depth);
  text += fmt::format(" -b {} -r {}", p.branching, p.seed);
  if (p.type != uts::kind::geometric) text += fmt::format(" -q {} -m {}", p.inner_probability, p.inner_children);
  if (p.prefix != 0) text += fmt::format(" --prefix {}", p.prefix);
  return text;
}

std::string footer() {
  std::string text = fmt::format(
      "Without --tree and tree options, the default tree of the benchmark is counted: {}.\n\nTrees:\n", as_options({}));
  for (const uts::known_tree& known : uts::known_trees()) {
    text += fmt::format("  {:<6} {:<48} {:>12} nodes\n", known.name, as_options(known.tree), known.nodes);
  }
  return text;
}

}  // namespace

uts_flags::uts_flags() : type_(static_cast<int>(parameters_.type)), shape_(static_cast<int>(parameters_.form)) {}

void uts_flags::add_to(CLI::App& command) {
  command_ = &command;
  command.add_option("--tree", tree_name_, "A tree by name (see below), instead of the options -t to -a")
      ->type_name("NAME");
  add_number(command, "-t", type_, "Type: 0 binomial, 1 geometric, 2 hybrid");
  add_number(command, "-b", parameters_.branching, "Branching factor at the root");
  add_number(command, "-r", parameters_.seed, "Seed of the root");
  add_number(command, "-q", parameters_.inner_probability, "Binomial: probability of having children");
  add_number(command, "-m", parameters_.inner_children, "Binomial: children of a node that has any");
  add_number(command, "-d", parameters_.depth, "Geometric: depth of the tree");
  add_number(command, "-a", shape_, "Geometric: shape, 0 linear, 1 exponential, 2 cyclic, 3 fixed");
  add_number(command, "--prefix", prefix_,
             "Count nodes at this depth as leaves, for a tree that is too large; 0: count all");
  add_word<kernels::construct>(command, "--construct", construct_, constructs, "What the tasks are made with");
  command.footer(footer());
}

void uts_flags::choose() {
  if (given("--tree")) {
    choose_by_name();
  } else {
    choose_by_parameters();
  }
  parameters_.prefix = prefix_;
}

void uts_flags::choose_by_name() {
  known_ = uts::find_known_tree(tree_name_);
  if (!known_) refuse("--tree", "'" + tree_name_ + "'", "must be one of " + names_of_known_trees());
  for (const char* const option : tree_options) {
    if (!given(option)) continue;
    refuse("--tree", "'" + tree_name_ + "'",
           fmt::format("a tree by name has its own {}; give one or the other", option));
  }
  parameters_ = known_->tree;
}

void uts_flags::choose_by_parameters() {
  if (type_ < 0 || type_ > static_cast<int>(uts::kind::hybrid)) {
    refuse("-t", std::to_string(type_), "must be 0, 1 or 2");
  }
  if (shape_ < 0 || shape_ > static_cast<int>(uts::shape::fixed)) {
    refuse("-a", std::to_string(shape_), "must be 0, 1, 2 or 3");
  }
  parameters_.type = static_cast<uts::kind>(type_);
  parameters_.form = static_cast<uts::shape>(shape_);
  known_ = uts::find_known_tree(parameters_);
}

nlohmann::ordered_json uts_flags::to_json() const {
  const uts::parameters& p = parameters_;
  return {
      {"tree", known_ ? nlohmann::ordered_json(std::string(known_->name)) : nlohmann::ordered_json()},
      {"type", std::string(uts::name(p.type))},
      {"shape", std::string(uts::name(p.form))},
      {"t", static_cast<int>(p.type)},
      {"a", static_cast<int>(p.form)},
      {"d", p.depth},
      {"b", p.branching},
      {"r", p.seed},
      {"q", p.inner_probability},
      {"m", p.inner_children},
      {"prefix", p.prefix},
      {"construct", std::string(name(construct_))},
  };
}

std::string uts_flags::in_options() const { return as_options(parameters_); }

std::string uts_flags::title() const {
  const bool by_default =
      !given("--tree") && std::ranges::none_of(tree_options, [this](const char* option) { return given(option); });
  const std::string_view tree = known_ ? known_->name : by_default ? "default tree, as none was named" : "tree";
  return fmt::format("uts {} ({}; construct {})", tree, in_options(), name(construct_));
}

counted_run count_operations(const uts_flags& flags, const uts::tree& tree, const leat::options& options,
                             uts::tally_check& check) {
  const run_counters made = count(options, [&](kernels::counted_runtime& rt) {
    check.take("counted", uts::count_in_parallel(rt, tree, flags.construct()));
  });
  return {flags.to_json(), check.latest().nodes(), made};
}

}  // namespace leat::cli
