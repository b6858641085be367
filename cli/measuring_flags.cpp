#include "measuring_flags.hpp"

#include "kernels/range.hpp"
#include "option_values.hpp"
#include "progress.hpp"

#include <stdexcept>

namespace leat::cli {

void round_flags::add_to(CLI::App& command) {
  add_number(command, "--repeat", repeat_, "Runs of each program, in turns; medians are reported");
  command.add_flag("--no-serial", no_serial_, "Skip the serial program");
  command.add_flag("--json", json_, "Report one JSON object on standard output");
  add_no_progress(command, no_progress_);
}

unsigned round_flags::repeat() const {
  kernels::check_range("--repeat", repeat_, 1, repeat_max);
  return static_cast<unsigned>(repeat_);
}

void measuring_flags::add_to(CLI::App& command) {
  runtime_.add_to(command);
  rounds_.add_to(command);
  command.add_flag("--capacity", capacity_,
                   "Also run the serial program in as many threads at once as there are workers, in turns with the "
                   "others: the speed-up that the machine can give");
}

bool measuring_flags::capacity() const {
  if (capacity_ && !serial()) throw std::invalid_argument("--capacity needs the serial program, without --no-serial");
  return capacity_;
}

}  // namespace leat::cli
