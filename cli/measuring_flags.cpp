#include "measuring_flags.hpp"

#include "option_values.hpp"

#include <fmt/format.h>

#include <string>

namespace leat::cli {

void measuring_flags::add_to(CLI::App& command) {
  runtime_.add_to(command);
  add_number(command, "--repeat", repeat_, "Runs of each version, taking turns; medians are reported");
  command.add_flag("--no-serial", no_serial_, "Skip the serial program");
  command.add_flag("--json", json_, "Report one JSON object on standard output");
}

unsigned measuring_flags::repeat() const {
  if (repeat_ < 1 || repeat_ > repeat_max) {
    refuse("--repeat", std::to_string(repeat_), fmt::format("must be between 1 and {}", repeat_max));
  }
  return static_cast<unsigned>(repeat_);
}

}  // namespace leat::cli
