#include "bench_command.hpp"

#include "capacity.hpp"
#include "measurement.hpp"
#include "memory.hpp"
#include "result_check.hpp"

#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

std::optional<double> per(double amount, std::uint64_t forks) {
  if (forks == 0) return std::nullopt;
  return amount / static_cast<double>(forks);
}

std::optional<double> ratio(double a, std::optional<double> b) {
  if (!b) return std::nullopt;
  return a / *b;
}

// Nanoseconds of all workers beyond the serial program, per fork.
std::optional<double> ns_per_fork(const measurement& m, std::uint64_t forks) {
  const std::optional<double> serial = m.times.seconds_of("serial");
  if (!serial) return std::nullopt;
  return per((m.workers * m.times.seconds - *serial) * 1e9, forks);
}

ordered_json results_of(const bench_kernel& kernel, const measurement& m, std::uint64_t forks,
                        const counted_run& counted) {
  ordered_json results = {
      {"forks", forks},
      {"ns_per_fork", or_null(ns_per_fork(m, forks))},
      {"ns_per_task", or_null(per(m.times.seconds * 1e9, forks))},
      {"counted", to_json(counted)},
  };
  for (const auto& program : kernel.serial_programs()) {
    if (program.name == "serial") continue;
    const std::optional<double> seconds = m.times.seconds_of(program.name);
    results[fmt::format("{}_seconds", program.name)] = or_null(seconds);
    results[fmt::format("of_{}", program.name)] = or_null(ratio(m.times.seconds, seconds));
  }
  return results;
}

std::string to_text(const measurement& m, std::uint64_t forks, std::uint64_t expected, const counted_run& counted,
                    const result_check& check) {
  std::string text = fmt::format("{} ({})\n", m.benchmark, in_words(m.parameters)) + to_text(m);
  for (const auto& [name, seconds] : m.times.references) {
    if (name != "serial" && name != capacity_name)
      text += fmt::format("ratio     {:.3f} of {}\n", m.times.seconds / seconds, name);
  }
  if (forks != 0)
    text += fmt::format("a task    {:.2f} ns, {} tasks", m.times.seconds * 1e9 / static_cast<double>(forks), forks);
  if (const auto overhead = ns_per_fork(m, forks))
    text += fmt::format("; {:.2f} ns of a worker beyond the serial program", *overhead);
  if (forks != 0) text += '\n';
  text += to_text(counted, "task");
  text +=
      check.ok() ? fmt::format("result    ok, {}\n", expected) : fmt::format("result    WRONG: {}\n", check.failure());
  return text;
}

}  // namespace

bench_command::bench_command(CLI::App& program)
    : command_(program.add_subcommand("bench", "Measure one kernel on this machine; without one, list the kernels")) {
  command_->require_subcommand(0, 1);
  uts_ = std::make_unique<uts_command>(*command_, "Unbalanced tree search: count the nodes of an irregular tree");
  for (std::unique_ptr<bench_kernel>& kernel : bench_kernels()) {
    CLI::App* const command = command_->add_subcommand(std::string(kernel->name()), std::string(kernel->description()));
    kernel->add_options(*command);
    auto flags = std::make_unique<measuring_flags>();
    flags->add_to(*command);
    entries_.push_back({std::move(kernel), std::move(flags), command});
  }
  loop_ = std::make_unique<loop_command>(*command_);
  threads_ = std::make_unique<threads_command>(*command_);
}

int bench_command::run() {
  if (uts_->chosen()) return uts_->run();
  if (loop_->chosen()) return loop_->run();
  if (threads_->chosen()) return threads_->run();
  for (const entry& e : entries_) {
    if (!e.command->parsed()) continue;
    return with_memory_for(fmt::format("bench {} with {}", e.kernel->name(), in_words(e.kernel->parameters())),
                           [&] { return measure_kernel(*e.kernel, *e.flags); });
  }
  std::cout << fmt::format("{:<17} {}\n", uts_->name(), uts_->description());
  for (const entry& e : entries_) std::cout << fmt::format("{:<17} {}\n", e.kernel->name(), e.kernel->description());
  std::cout << fmt::format("{:<17} {}\n", loop_->name(), loop_->description());
  std::cout << fmt::format("{:<17} {}\n", threads_->name(), threads_->description());
  return 0;
}

int bench_command::measure_kernel(const bench_kernel& kernel, const measuring_flags& flags) {
  const unsigned repeat = flags.repeat();
  const leat::options options = flags.options();
  const bool capacity_too = flags.capacity();
  if (capacity_too && !kernel.serial_overlaps()) {
    throw std::invalid_argument(
        fmt::format("--capacity: {} has serial programs that cannot run side by side", kernel.name()));
  }
  kernel.prepare();
  const std::uint64_t expected = kernel.expected();
  const std::uint64_t forks = kernel.forks();
  progress shown(flags.shows_progress());
  result_check check;
  measurement m;
  m.benchmark = kernel.name();
  m.parameters = kernel.parameters();
  m.repeat = repeat;
  {
    auto rt = start<runtime>(options);
    m.scheduler = rt.scheduler();
    m.steal = flags.steal();
    m.choices = choices_json(options);
    m.workers = rt.workers();
    const auto timed = [&](std::string_view program, auto run) {
      return time_program(kernel, m.workers, program, run, check, expected);
    };
    std::vector<reference> references;
    for (const auto& program : kernel.serial_programs()) {
      if (!flags.serial()) break;
      references.push_back({std::string(program.name), [&timed, &kernel, program] {
                              return timed(program.name, [&] { return program.run(kernel); });
                            }});
    }
    std::vector<std::uint64_t> found(m.workers, expected);
    if (capacity_too) {
      references.push_back(
          capacity(m.workers, [&found, run = kernel.serial_programs().front().run, &kernel](unsigned thread) {
            return seconds_taken([&] { found[thread] = run(kernel); });
          }));
    }
    m.times =
        measure(rt, repeat, references, [&] { return timed("parallel", [&] { return kernel.parallel(rt); }); }, shown);
    for (const std::uint64_t one : found) check.take("serial", one, expected);
  }
  // After the timed runs, whose workers are gone by now.
  const counted_run counted = count_operations(kernel, options, check);
  m.result_ok = check.ok();
  m.results = results_of(kernel, m, forks, counted);
  std::cout << (flags.json() ? to_json(m).dump(2) + "\n" : to_text(m, forks, expected, counted, check));
  if (!check.ok()) std::cerr << "leat: bench " << kernel.name() << ": " << check.failure() << '\n';
  return check.ok() ? 0 : 1;
}

}  // namespace leat::cli
