#include "measuring_flags.hpp"

#include "kernels/range.hpp"
#include "option_values.hpp"

namespace leat::cli {

void round_flags::add_to(CLI::App& command) {
  add_number(command, "--repeat", repeat_, "Runs of each version, taking turns; medians are reported");
  command.add_flag("--no-serial", no_serial_, "Skip the serial program");
  command.add_flag("--json", json_, "Report one JSON object on standard output");
}

unsigned round_flags::repeat() const {
  kernels::check_range("--repeat", repeat_, 1, repeat_max);
  return static_cast<unsigned>(repeat_);
}

void measuring_flags::add_to(CLI::App& command) {
  runtime_.add_to(command);
  rounds_.add_to(command);
}

}  // namespace leat::cli
