#include "simulated_kernel.hpp"

#include "bench_kernel.hpp"
#include "installed_file.hpp"
#include "json_text.hpp"
#include "measurement.hpp"
#include "option_values.hpp"

#include <leat/platform/native.hpp>
#include <leat/platform/simulation/machine.hpp>
#include <leat/runtime.hpp>

#include <fmt/format.h>

#include <iostream>
#include <stdexcept>
#include <utility>

namespace leat::sim {

namespace {

using nlohmann::ordered_json;

constexpr double ns_per_second = 1e9;

// How long idle workers spin: as leat::runtime has it where there is a CPU for each.
constexpr std::uint64_t spin_us = 100;

// As a runtime does it, but before a world begins.
void check_places(const std::string& kind, const leat::platform::machine& on) {
  std::string known = leat::prell_options().places;
  if (kind == known) return;
  for (const auto& level : on.levels) {
    if (level.name == kind) return;
    known += ", " + level.name;
  }
  cli::refuse("--places", "'" + kind + "'", "the machine has no such domains; it has " + known);
}

}  // namespace

simulated_kernel::simulated_kernel(CLI::App& program, std::unique_ptr<cli::compared_kernel> kernel)
    : kernel_(std::move(kernel)), command_(program.add_subcommand(kernel_->name(), kernel_->description())) {
  kernel_->add_options(*command_);
  flags_.add_to(*command_);
  command_
      ->add_option("--machine", machine_,
                   "A machine file, or the name of one of leat's machines; else a flat machine like a two-core Xeon")
      ->type_name("NAME");
  cli::add_number(*command_, "--seed", seed_, "Seed of the order, if it is not by time, and of victim selection");
  command_->add_option("--order", order_, "In which order threads go on: time, random, priority")->type_name("WORD");
  command_->add_flag("--no-interrupts", no_interrupts_, "Do not interrupt workers in long tasks");
  command_->add_flag("--parallel-only", parallel_only_, "Run only the parallel program, with all workers");
  command_->add_flag("--no-one-worker", no_one_worker_, "Leave out the parallel program with one worker");
  command_->add_flag("--json", json_, "Print JSON");
  cli::add_no_progress(*command_, no_progress_);
}

std::string simulated_kernel::summary() const {
  return fmt::format("{:<17} {}", kernel_->name(), kernel_->description());
}

simulation_options simulated_kernel::how() const {
  simulation_options how;
  if (machine_.empty() && command_->count("--machine") != 0)
    cli::refuse("--machine", "''", "must be a file, or a name");
  if (!machine_.empty()) how.machine = cli::installed_file("machines", machine_);
  if (seed_ < 0) cli::refuse("--seed", std::to_string(seed_), "must not be negative");
  how.seed = static_cast<std::uint64_t>(seed_);
  if (order_ == "random") how.order = simulated_order::at_random;
  else if (order_ == "priority") how.order = simulated_order::by_priority;
  else if (order_ != "time") cli::refuse("--order", "'" + order_ + "'", "must be one of time, random, priority");
  if (!machine_.empty() && how.order != simulated_order::by_time)
    cli::refuse("--machine", "'" + machine_ + "'", "costs are those of a machine only where the order is by time");
  return how;
}

simulated_kernel::found simulated_kernel::simulate_serial(const simulation_options& how) {
  found f;
  f.world = simulate(how, [&] { f.seconds = kernel_->serial(); });
  return f;
}

simulated_kernel::found simulated_kernel::simulate_parallel(const simulation_options& how, leat::options o) {
  found f;
  // Nothing that is allocated in the world may outlive it.
  f.world = simulate(how, [&f, o, this] {
    runtime rt(o);
    rt.run([] {});  // the workers are there
    const leat::counters before = rt.counters();
    f.seconds = kernel_->parallel(rt);
    f.counters = rt.counters() - before;
  });
  return f;
}

simulated_kernel::results simulated_kernel::simulate_all(bool with_one, cli::progress& shown, std::string_view what) {
  kernel_->prepare();
  const simulation_options world = how();
  results r;
  r.options = flags_.options();
  r.options.seed = world.seed;
  r.options.workers = r.options.resolved().workers;
  r.options.spin_us = r.options.spin_us.value_or(spin_us);
  if (no_interrupts_) r.options.interrupt_after_us = 0;
  const auto on = world.machine.empty() ? leat::platform::machine() : leat::platform::machine::read(world.machine);
  check_places(r.options.prell.places, on);
  if (!world.machine.empty()) {
    const std::uint32_t units = on.units();
    if (units != 0 && *r.options.workers > units) {
      cli::refuse("--workers", std::to_string(*r.options.workers),
                  fmt::format("the machine '{}' has {} units", machine_, units));
    }
  }
  const std::uint64_t begun_ns = leat::platform::native::now_ns();
  if (!parallel_only_) {
    const cli::progress::step now(shown, fmt::format("{}: serial", what));
    r.serial = simulate_serial(world);
  }
  if (!parallel_only_ && with_one) {
    leat::options single = r.options;
    single.workers = 1;
    const cli::progress::step now(shown, fmt::format("{}: 1 worker", what));
    r.one = simulate_parallel(world, single);
  }
  {
    const cli::progress::step now(
        shown, fmt::format("{}: {} worker{}", what, *r.options.workers, *r.options.workers == 1 ? "" : "s"));
    r.all = simulate_parallel(world, r.options);
  }
  r.host_seconds = static_cast<double>(leat::platform::native::now_ns() - begun_ns) / ns_per_second;
  if (!kernel_->failure().empty()) throw std::runtime_error(kernel_->failure());
  return r;
}

void simulated_kernel::run() {
  cli::progress shown(!no_progress_);
  report(simulate_all(!no_one_worker_, shown, kernel_->name()));
  kernel_->write_files();
}

namespace {

ordered_json json_of(const simulated_run::shares& s) {
  return {{"work", s.work},         {"memory", s.memory}, {"lines", s.lines},
          {"spinning", s.spinning}, {"waking", s.waking}, {"asleep", s.asleep}};
}

}  // namespace

ordered_json simulated_kernel::to_json(const found& f) const {
  ordered_json threads = ordered_json::array();
  for (const simulated_run::shares& s : f.world.threads) threads.push_back(json_of(s));
  return {{"seconds", f.seconds},
          {"steps", f.world.steps},
          {"trace", fmt::format("{:016x}", f.world.trace)},
          {"spent", json_of(f.world.spent)},
          {"spent_by_worker", std::move(threads)},
          {"counters", cli::to_json(f.counters)}};
}

void simulated_kernel::report(const results& r) const {
  const std::string scheduler = r.options.resolved().scheduler.value();
  if (json_) {
    ordered_json j{{"benchmark", kernel_->name()},
                   {"parameters", kernel_->parameters()},
                   {"machine", machine_},
                   {"scheduler", scheduler},
                   {"choices", cli::choices_json(r.options)},
                   {"workers", *r.options.workers},
                   {"seed", seed_},
                   {"order", order_},
                   {"serial_seconds", r.serial ? ordered_json(r.serial->seconds) : ordered_json()},
                   {"one_worker_seconds", r.one ? ordered_json(r.one->seconds) : ordered_json()},
                   {"speedup", cli::or_null(r.speedup())},
                   {"speedup_over_one_worker", cli::or_null(r.ratio(r.one))},
                   {"host_seconds", r.host_seconds}};
    j.update(to_json(r.all));
    if (!kernel_->events().is_null()) j["events"] = kernel_->events();
    std::cout << cli::as_text(j) << '\n';
    return;
  }
  std::cout << fmt::format("{}, {} workers, {}, simulated on {}\n", kernel_->title(), *r.options.workers, scheduler,
                           machine_.empty() ? "a flat machine" : machine_);
  if (r.serial) std::cout << fmt::format("  serial      {:.6f} s\n", r.serial->seconds);
  if (r.one) std::cout << fmt::format("  one worker  {:.6f} s\n", r.one->seconds);
  std::cout << fmt::format("  parallel    {:.6f} s", r.all.seconds);
  if (r.serial) std::cout << fmt::format(", {:.2f} times as fast as serial", *r.speedup());
  if (r.one) std::cout << fmt::format(", {:.2f} as one worker", *r.ratio(r.one));
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  const simulated_run::shares& spent = r.all.world.spent;
  std::cout << fmt::format(
      "\n  workers: {} work, {} memory, {} lines of others, {} spinning, {} waking others, {} asleep",
      percent(spent.work), percent(spent.memory), percent(spent.lines), percent(spent.spinning), percent(spent.waking),
      percent(spent.asleep));
  if (const ordered_json events = kernel_->events(); !events.is_null()) std::cout << "\n  " << cli::in_words(events);
  std::cout << fmt::format(
      "\n  {} steals, {} tasks and forks stolen; {} steps, trace {:016x}, {:.1f} s of this machine\n",
      r.all.counters[event::steals], r.all.counters[event::tasks_stolen], r.all.world.steps, r.all.world.trace,
      r.host_seconds);
}

}  // namespace leat::sim
