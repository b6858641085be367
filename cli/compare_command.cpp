#include "compare_command.hpp"

#include "comparison.hpp"
#include "json_text.hpp"
#include "memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <utility>

namespace leat::cli {

compare_command::compare_command(CLI::App& program)
    : command_(program.add_subcommand("compare",
                                      "Compare all schedulers and other libraries on one or more kernels, in turns; "
                                      "without a kernel, list the kernels")) {
  flags_.add_to(*command_);
  for (std::unique_ptr<compared_kernel>& kernel : compared_kernels()) add(std::move(kernel));
}

void compare_command::add(std::unique_ptr<compared_kernel> kernel) {
  CLI::App* const command = command_->add_subcommand(kernel->name(), kernel->description());
  kernel->add_options(*command);
  command->fallthrough();
  command->footer([this] { return help_of_flags(); });
  // The same kernel may follow, with other options: from now on its name means another command, with a kernel of its own.
  command->preparse_callback([this, command](std::size_t) {
    command->disabled();
    for (std::unique_ptr<compared_kernel>& again : compared_kernels()) {
      if (again->name() == command->get_name()) add(std::move(again));
    }
  });
  entries_.push_back({std::move(kernel), command});
}

std::string compare_command::help_of_flags() const {
  const auto flags = command_->get_options([](const CLI::Option* o) { return o->get_name() != "--help"; });
  return CLI::Formatter().make_group("Options of leat compare", false, {flags.begin(), flags.end()});
}

void compare_command::list() const {
  for (const entry& e : entries_) std::cout << fmt::format("{:<17} {}\n", e.kernel->name(), e.kernel->description());
}

comparison_report compare_command::measured(compared_kernel& kernel, const comparing& how) const {
  kernel.prepare();
  comparison_report report;
  report.benchmark = kernel.name();
  report.title = kernel.title();
  report.parameters = kernel.parameters();
  report.unit = kernel.unit();
  report.steal = flags_.steal();
  report.workers = static_cast<unsigned>(how.options.resolved().workers.value_or(0));
  report.repeat = how.repeat;
  report.warmup = how.warmup;
  report.found = compare(kernel, how);
  return report;
}

int compare_command::run() {
  const comparing how = flags_.how();
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  // In the order in which they were given.
  for (const CLI::App* const chosen : command_->get_subcommands()) {
    compared_kernel& kernel = *std::ranges::find(entries_, chosen, &entry::command)->kernel;
    const comparison_report report = with_memory_for("compare " + kernel.name(), [&] { return measured(kernel, how); });
    const bool first = chosen == command_->get_subcommands().front();
    if (flags_.json()) all.push_back(to_json(report));
    else if (flags_.csv()) std::cout << (first ? csv_head() : "") << to_csv(report);
    else std::cout << (first ? "" : "\n") << (flags_.markdown() ? to_markdown(report) : to_text(report));
    std::cout.flush();
    kernel.write_files();
  }
  if (command_->get_subcommands().empty()) list();
  else if (flags_.json()) std::cout << as_text(all.size() == 1 ? all.front() : all) << '\n';
  return 0;
}

}  // namespace leat::cli
