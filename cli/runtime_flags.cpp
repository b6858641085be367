#include "runtime_flags.hpp"

#include "numbers.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace leat::cli {

void runtime_flags::add_to(CLI::App& command) {
  command
      .add_option("--workers", workers_, "Workers of the runtime; else LEAT_NUM_WORKERS, else one per available CPU")
      ->check(whole_number());
  command.add_option("--scheduler", scheduler_, "Scheduler by name; else LEAT_SCHEDULER, else the default");
}

leat::options runtime_flags::options() const {
  leat::options options;
  if (workers_ && *workers_ < 0) {
    throw std::invalid_argument(fmt::format("--workers = {}: a number of workers is not negative", *workers_));
  }
  if (workers_) options.workers = static_cast<std::uint64_t>(*workers_);
  options.scheduler = scheduler_;
  return options;
}

}  // namespace leat::cli
