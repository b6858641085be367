// The flags that say which tree of UTS is counted, and how.

#pragma once

#include "counted_run.hpp"

#include "kernels/construct.hpp"
#include "kernels/uts_check.hpp"
#include "kernels/uts_tree.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace leat::cli {

/// --tree, -t to -a, --prefix and --construct.
class uts_flags {
 public:
  uts_flags();

  /// Adds the flags and the list of known trees to a command; the object must outlive the parsing.
  void add_to(CLI::App& command);

  /// Decides what the flags mean, once they are parsed; everything below is good after that only. Throws
  /// std::invalid_argument naming a bad value.
  void choose();

  [[nodiscard]] const kernels::uts::parameters& tree() const noexcept { return parameters_; }

  /// The known tree that was chosen, by its name or by its parameters; else null. None where a prefix is counted.
  [[nodiscard]] const kernels::uts::known_tree* known() const noexcept {
    return parameters_.prefix == 0 ? known_ : nullptr;
  }

  [[nodiscard]] kernels::construct construct() const noexcept { return construct_; }

  [[nodiscard]] nlohmann::ordered_json to_json() const;

  /// The options that make this tree, and no others.
  [[nodiscard]] std::string in_options() const;

  /// For people: "uts T1 (-t 1 ...; construct spawn)".
  [[nodiscard]] std::string title() const;

 private:
  [[nodiscard]] bool given(const char* option) const { return command_->count(option) != 0; }
  void choose_by_name();
  void choose_by_parameters();

  CLI::App* command_ = nullptr;
  kernels::construct construct_ = kernels::construct::spawn;
  std::string tree_name_;
  kernels::uts::parameters parameters_;
  std::int64_t prefix_ = 0;
  std::int64_t type_;  // of parameters_, as the numbers that -t and -a take
  std::int64_t shape_;
  const kernels::uts::known_tree* known_ = nullptr;
};

/// Counts the nodes of the tree that was chosen, all of it, on the counted platform; its units are the nodes. Tells `check` what it found.
[[nodiscard]] counted_run count_operations(const uts_flags&, const kernels::uts::tree&, const leat::options&,
                                           kernels::uts::tally_check& check);

}  // namespace leat::cli
