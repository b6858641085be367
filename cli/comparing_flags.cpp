#include "comparing_flags.hpp"

#include "kernels/range.hpp"
#include "option_values.hpp"

#include <leat/options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace leat::cli {

void comparing_flags::add_to(CLI::App& command) {
  command
      .add_option("--schedulers", schedulers_,
                  fmt::format("Schedulers to compare, with commas between them: {}; else all", known_schedulers()))
      ->type_name("WORDS");
  workers_.add_to(command);
  rounds_.add_to(command);
  add_number(command, "--warmup", warmup_, "Runs right before each timed one");
  command.add_flag("--markdown", markdown_, "Report tables of Markdown");
}

std::vector<std::string> comparing_flags::schedulers() const {
  if (!schedulers_) return {scheduler_names().begin(), scheduler_names().end()};
  std::vector<std::string> names;
  std::istringstream text(*schedulers_ + ',');
  for (std::string name; std::getline(text, name, ',');) {
    check_scheduler("--schedulers", name);
    if (std::ranges::find(names, name) != names.end()) {
      refuse("--schedulers", "'" + *schedulers_ + "'", name + " stands there twice");
    }
    names.push_back(name);
  }
  return names;
}

comparing comparing_flags::how() const {
  if (json() && markdown()) throw std::invalid_argument("--json and --markdown: give one or the other");
  kernels::check_range("--warmup", warmup_, 0, warmup_max);
  comparing how;
  how.schedulers = schedulers();
  how.options = workers_.options();
  how.options.scheduler = how.schedulers.front();  // LEAT_SCHEDULER means none of them, whatever it says
  how.repeat = rounds_.repeat();
  how.warmup = static_cast<unsigned>(warmup_);
  how.serial = rounds_.serial();
  return how;
}

}  // namespace leat::cli
