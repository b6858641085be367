// The program leat: measures the runtime and shows its configuration.

#include "info_command.hpp"
#include "uts_command.hpp"

#include <leat/version.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

// The exit status of the program, beside 0.
constexpr int failed = 1;     // a wrong result, or a run that could not be done
constexpr int bad_input = 2;  // wrong options, parameters or environment

void complain(std::string_view what) {
  // The runtime's own messages say already where they come from.
  std::cerr << (what.starts_with("leat") ? "" : "leat: ") << what << '\n';
}

int run(int argc, char** argv) {
  CLI::App program("Task parallelism by work stealing: benchmarks of the runtime leat.", "leat");
  program.set_version_flag("--version", leat::version());
  leat::cli::uts_command uts(program);
  leat::cli::info_command info(program);
  program.require_subcommand(0, 1);
  try {
    program.parse(argc, argv);
    // Only after parsing, so that a mistyped command is named instead.
    if (program.get_subcommands().empty()) throw CLI::RequiredError("A command");
  } catch (const CLI::ParseError& error) {
    // Help and version come as "errors" with status 0.
    if (error.get_exit_code() == 0) {
      program.exit(error);
      if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
      return 0;
    }
    complain(error.what());
    const auto chosen = program.get_subcommands();
    const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
    std::cerr << "Run leat" << command << " --help for the options.\n";
    return bad_input;
  }
  const int status = uts.chosen() ? uts.run() : info.run();
  if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::invalid_argument& error) {
    complain(error.what());
    return bad_input;
  } catch (const std::exception& error) {
    complain(error.what());
    return failed;
  }
}
