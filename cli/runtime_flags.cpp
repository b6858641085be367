#include "runtime_flags.hpp"

#include "option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace leat::cli {

namespace {

constexpr std::array stealings = {stealing::one, stealing::half, stealing::adaptive};
constexpr std::array victim_orders = {victim_order::random, victim_order::near};

}  // namespace

std::string_view name(stealing s) noexcept {
  switch (s) {
    case stealing::one: return "one";
    case stealing::half: return "half";
    case stealing::adaptive: return "adaptive";
  }
  return "unknown";
}

std::string_view name(victim_order o) noexcept {
  switch (o) {
    case victim_order::random: return "random";
    case victim_order::near: return "near";
  }
  return "unknown";
}

std::string known_schedulers() {
  std::string names;
  for (const std::string_view name : scheduler_names()) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  return names;
}

void check_scheduler(std::string_view option, const std::string& scheduler) {
  if (std::ranges::find(scheduler_names(), scheduler) != scheduler_names().end()) return;
  refuse(option, "'" + scheduler + "'", "must be one of " + known_schedulers());
}

void worker_flags::add_to(CLI::App& command) {
  add_number(command, "--workers", workers_,
             "Workers of the runtime; else LEAT_NUM_WORKERS, else one per available CPU");
  add_word<stealing>(command, "--steal", steal_, stealings, "Tasks that a thief asks for");
  command.add_flag("--bind", bind_, "Bind each worker to a unit of the machine");
  add_word<victim_order>(command, "--victims", victims_, victim_orders,
                         "Which victims thieves ask first; near needs --bind");
}

leat::options worker_flags::options() const {
  leat::options options;
  if (workers_) {
    if (*workers_ < 1 || *workers_ > std::int64_t{workers_max}) {
      refuse("--workers", std::to_string(*workers_), fmt::format("must be between 1 and {}", workers_max));
    }
    options.workers = static_cast<std::uint64_t>(*workers_);
  }
  options.bind = bind_;
  if (victims_ == victim_order::near && !bind_) refuse("--victims", "'near'", "takes --bind");
  options.victims = name(victims_);
  options.strategy = steal_ == stealing::adaptive ? "adaptive" : fmt::format("steal-{}", name(steal_));
  return options;
}

void runtime_flags::add_to(CLI::App& command) {
  workers_.add_to(command);
  command
      .add_option("--scheduler", scheduler_,
                  fmt::format("Scheduler: {}; else LEAT_SCHEDULER, else the first", known_schedulers()))
      ->type_name("WORD");
  prell_.add_to(command);
}

leat::options runtime_flags::options() const {
  leat::options options = workers_.options();
  prell_.set(options);
  if (scheduler_) check_scheduler("--scheduler", *scheduler_);
  options.scheduler = scheduler_;
  return options;
}

}  // namespace leat::cli
