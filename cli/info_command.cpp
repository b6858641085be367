#include "info_command.hpp"

#include "leat/topology/cpus.hpp"

#include <leat/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

namespace leat::cli {

info_command::info_command(CLI::App& program, std::string described)
    : command_(program.add_subcommand("info", "Show the version, the CPUs and the configuration in force")),
      described_(std::move(described)) {
  runtime_.add_to(*command_);
  command_->add_flag("--json", json_, "Report one JSON object on standard output");
}

int info_command::run() const {
  const leat::options in_force = runtime_.options().resolved();
  // NOLINTBEGIN(bugprone-unchecked-optional-access): resolved() returns options with everything set
  const std::uint64_t workers = in_force.workers.value();
  const std::string& scheduler = in_force.scheduler.value();
  const std::uint64_t spares = in_force.spares.value();
  const std::uint64_t spin_us = in_force.spin_us.value();
  const std::uint64_t interrupt_after_us = in_force.interrupt_after_us.value();
  // NOLINTEND(bugprone-unchecked-optional-access)
  const topology::cpus cpus = topology::read_cpus();
  if (json_) {
    const nlohmann::ordered_json json = {
        {"version", version()},
        {"described", described_},
        {"cpus", cpus.usable()},
        {"cpu_notes", cpus.notes},
        {"workers", workers},
        {"scheduler", scheduler},
        {"spares", spares},
        {"spin_us", spin_us},
        {"interrupt_after_us", interrupt_after_us},
        {"bind", in_force.bind},
        {"victims", in_force.victims},
        {"seed", in_force.seed},
        {"strategy", in_force.strategy},
        {"adaptive_steals", in_force.adaptive_steals},
        {"last_victim", in_force.last_victim.value_or(false)},
        {"deque_capacity", in_force.deque_capacity},
    };
    std::cout << json.dump(2) << '\n';
    return 0;
  }
  std::cout << fmt::format("leat       {}\n",
                           described_.empty() ? version() : fmt::format("{} ({})", version(), described_))
            << fmt::format("CPUs       {} available\n", cpus.usable()) << fmt::format("workers    {}\n", workers)
            << fmt::format("scheduler  {}\n", scheduler)
            << fmt::format("spares     {} for workers that block\n", spares)
            << fmt::format("spin       {} us before an idle worker sleeps\n", spin_us)
            << (interrupt_after_us == 0 ? std::string("interrupts never\n")
                                        : fmt::format("interrupts after {} us without an answer\n", interrupt_after_us))
            << fmt::format("bind       {}\n", in_force.bind ? "each worker to a CPU" : "no")
            << fmt::format("victims    {}\n", in_force.victims) << fmt::format("seed       {}\n", in_force.seed)
            << fmt::format("strategy   {}\n", in_force.strategy)
            << fmt::format("last victim {}\n", in_force.last_victim.value_or(false) ? "first" : "as any other")
            << fmt::format("deque      {} tasks a worker\n", in_force.deque_capacity);
  for (const std::string& note : cpus.notes) std::cout << fmt::format("CPU note   {}\n", note);
  return 0;
}

}  // namespace leat::cli
