#include "compare_command.hpp"

#include "comparison.hpp"
#include "comparison_report.hpp"
#include "memory.hpp"

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <utility>

namespace leat::cli {

namespace {

comparison_report compare_schedulers(compared_kernel& kernel, const comparing& how) {
  kernel.prepare();
  comparison_report report;
  report.benchmark = kernel.name();
  report.title = kernel.title();
  report.parameters = kernel.parameters();
  report.unit = kernel.unit();
  report.workers = static_cast<unsigned>(how.options.resolved().workers.value_or(0));
  report.repeat = how.repeat;
  report.warmup = how.warmup;
  report.found = compare(kernel, how);
  return report;
}

void write(const comparison_report& report, const comparing_flags& flags) {
  if (flags.json()) {
    std::cout << to_json(report).dump(2) << '\n';
  } else {
    std::cout << (flags.markdown() ? to_markdown(report) : to_text(report));
  }
}

}  // namespace

compare_command::compare_command(CLI::App& program)
    : command_(program.add_subcommand(
          "compare",
          "All schedulers and other libraries on one kernel, taking turns; without one, lists the kernels")) {
  command_->require_subcommand(0, 1);
  for (std::unique_ptr<compared_kernel>& kernel : compared_kernels()) {
    CLI::App* const command = command_->add_subcommand(kernel->name(), kernel->description());
    kernel->add_options(*command);
    auto flags = std::make_unique<comparing_flags>();
    flags->add_to(*command);
    entries_.push_back({std::move(kernel), std::move(flags), command});
  }
}

int compare_command::run() {
  for (const entry& e : entries_) {
    if (!e.command->parsed()) continue;
    const comparing how = e.flags->how();
    comparison_report report =
        with_memory_for("compare " + e.kernel->name(), [&] { return compare_schedulers(*e.kernel, how); });
    report.steal = e.flags->steal();
    write(report, *e.flags);
    e.kernel->write_files();
    return 0;
  }
  for (const entry& e : entries_) std::cout << fmt::format("{:<9} {}\n", e.kernel->name(), e.kernel->description());
  return 0;
}

}  // namespace leat::cli
