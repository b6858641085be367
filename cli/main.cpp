// The program leat: measures the runtime and shows its configuration.

#include "bench_command.hpp"
#include "cluster_command.hpp"
#include "compare_command.hpp"
#include "info_command.hpp"
#include "report_command.hpp"
#include "sibling_program.hpp"
#include "sim_command.hpp"
#include "topology_command.hpp"
#include "uts_command.hpp"

#include <leat/cluster/alone.hpp>
#include <leat/version.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cerrno>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

// The exit status of the program, beside 0.
constexpr int failed = 1;     // a wrong result, or a run that could not be done
constexpr int bad_input = 2;  // wrong options, parameters or environment

void complain(std::string_view what) {
  // The runtime's own messages say already where they come from.
  std::cerr << (what.starts_with("leat") ? "" : "leat: ") << what << '\n';
}

// The command that was given, as far as it was understood.
const CLI::App& chosen(const CLI::App& program) {
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// With those that it belongs to: "leat bench fib".
std::string full_name(const CLI::App& command) {
  if (command.get_parent() == nullptr) return command.get_name();
  return full_name(*command.get_parent()) + " " + command.get_name();
}

// The option that was given more often than once, to this command or to one of its own; null if none was.
const CLI::Option* repeated(const CLI::App& command) {
  const auto is_repeated = [](const CLI::Option* o) { return o->get_items_expected_max() == 1 && o->count() > 1; };
  const auto options = command.get_options(is_repeated);
  if (!options.empty()) return options.front();
  for (const CLI::App* const own : command.get_subcommands()) {
    if (const CLI::Option* const option = repeated(*own)) return option;
  }
  return nullptr;
}

// In the style of all messages: what is meant, and what is wrong with it.
std::string reason(const CLI::App& program, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (const CLI::Option* const option = repeated(program)) {
      const std::vector<std::string> given = option->results();
      return option->get_name() + " = '" + given[1] + "': already given as '" + given[0] + "'";
    }
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  const std::vector<std::string> extras = program.remaining(true);
  if (extras.empty()) return error.what();
  return extras.front() + ": no such " + (extras.front().starts_with('-') ? "option" : "command") + " here";
}

// Counts on a cluster: as the program leat-mpi, where it was built, else on one rank.
int run_cluster(int argc, char** argv) {
  execv(leat::cli::sibling_program("leat-mpi").c_str(), argv);
  if (errno != ENOENT) throw std::system_error(errno, std::generic_category(), "cannot run leat-mpi");
  return leat::cli::run_on_cluster(argc, argv, std::make_unique<leat::ranks::alone>());
}

int run(int argc, char** argv) {
  CLI::App program("Task parallelism by work stealing: benchmarks of the runtime leat.", "leat");
  program.set_version_flag("--version", leat::version());
  leat::cli::uts_command uts(program);
  leat::cli::bench_command bench(program);
  leat::cli::compare_command compare(program);
  leat::cli::report_command report(program);
  leat::cli::sim_command sim(program);
  leat::cli::topology_command topology(program);
  leat::cli::info_command info(program);
  program.require_subcommand(0, 1);
  try {
    program.parse(argc, argv);
    // Only after parsing, so that a mistyped command is named instead.
    if (program.get_subcommands().empty()) throw CLI::RequiredError("leat: a command");
  } catch (const CLI::ParseError& error) {
    // Help and version come as "errors" with status 0.
    if (error.get_exit_code() == 0) {
      program.exit(error);
      if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
      return 0;
    }
    complain(reason(program, error));
    std::cerr << "Run " << full_name(chosen(program)) << " --help for the options.\n";
    return bad_input;
  }
  if (sim.chosen()) sim.run();
  const int status = uts.chosen()        ? uts.run()
                     : bench.chosen()    ? bench.run()
                     : compare.chosen()  ? compare.run()
                     : report.chosen()   ? report.run()
                     : topology.chosen() ? topology.run()
                                         : info.run();
  if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return leat::cli::asks_for_cluster(argc, argv) ? run_cluster(argc, argv) : run(argc, argv);
  } catch (const std::invalid_argument& error) {
    complain(error.what());
    return bad_input;
  } catch (const std::exception& error) {
    complain(error.what());
    return failed;
  }
}
