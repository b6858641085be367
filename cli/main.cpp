// The program leat: measures the runtime and shows its configuration.

#include "bench_command.hpp"
#include "cluster_command.hpp"
#include "compare_command.hpp"
#include "completion.hpp"
#include "described.hpp"
#include "explain_command.hpp"
#include "figure_command.hpp"
#include "info_command.hpp"
#include "parse_failure.hpp"
#include "predict_command.hpp"
#include "profile_command.hpp"
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
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

// The exit status of the program.
constexpr int done = 0;
constexpr int failed = 1;     // a wrong result, or a run that could not be done
constexpr int bad_input = 2;  // wrong options, parameters or environment

constexpr const char* about =
    "Measures leat, a library that runs irregular programs in parallel by work stealing.\n\n"
    "  leat bench KERNEL     how fast is leat on this machine?\n"
    "  leat compare KERNEL   which scheduler or library is faster here?\n"
    "  leat sim KERNEL       how would a kernel run on a machine that is not here?\n"
    "  leat predict FILE     how would a recorded program run there?\n"
    "  leat figure NAME      does a figure of a paper hold here?\n"
    "  leat profile PROGRAM  why does a program that uses leat not scale?";
constexpr const char* exit_statuses =
    "Exit status: 0 if all results are right, 1 if a result is wrong or a run failed,\n"
    "2 if an option, a parameter or an environment variable is wrong.\n"
    "Bash completes commands and options once share/bash-completion/completions/leat is installed.";

void complain(std::string_view what) {
  // The runtime's own messages say already where they come from.
  std::cerr << (what.starts_with("leat") ? "" : "leat: ") << what << '\n';
}

// Without leat-mpi each of the processes that an MPI launcher starts would count for itself.
void refuse_launcher(const std::string& missing) {
  for (const char* const name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) {
    const char* const ranks = std::getenv(name);
    if (ranks == nullptr || std::string_view(ranks) == "1") continue;
    throw std::runtime_error(std::string("--cluster: an MPI launcher has started this as one of several (") + name +
                             " = " + ranks + "), but there is no " + missing +
                             ", which is built where CMake finds MPI (target leat_mpi)");
  }
}

// Counts on a cluster: as the program leat-mpi, where it was built, else on one rank.
int run_cluster(int argc, char** argv) {
  const std::string on_mpi = leat::cli::sibling_program("leat-mpi");
  execv(on_mpi.c_str(), argv);
  if (errno != ENOENT) throw std::system_error(errno, std::generic_category(), "cannot run " + on_mpi);
  refuse_launcher(on_mpi);
  return leat::cli::run_on_cluster(argc, argv, std::make_unique<leat::ranks::alone>(),
                                   [](const std::string&) { return std::nullopt; });
}

// Parses the command line. The exit status, where there is nothing to run then: for help, the version, the words that a
// shell asks for, and what is refused.
std::optional<int> parse(CLI::App& program, int argc, char** argv) {
  if (argc > 1 && leat::cli::completing == argv[1]) {
    for (const std::string& word :
         leat::cli::words_after(program, std::vector<std::string_view>(argv + 2, argv + argc)))
      std::cout << word << '\n';
    if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
    return done;
  }
  try {
    program.parse(argc, argv);
    // Only after parsing, so that a mistyped command is named instead.
    if (program.get_subcommands().empty()) throw CLI::RequiredError("leat: a command");
  } catch (const CLI::ParseError& error) {
    // Help and version come as "errors" with status 0.
    if (error.get_exit_code() == 0) {
      program.exit(error);
      if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
      return done;
    }
    complain(leat::cli::reason(program, error));
    std::cerr << leat::cli::where_to_look(program) << '\n';
    return bad_input;
  }
  return std::nullopt;
}

int run(int argc, char** argv) {
  CLI::App program(about, "leat");
  program.footer(exit_statuses);
  leat::cli::refuse_values_of_flags(program);
  program.set_version_flag("--version", leat::version());
  leat::cli::bench_command bench(program);
  leat::cli::compare_command compare(program);
  leat::cli::profile_command profile(program);
  leat::cli::explain_command explain(program);
  leat::cli::report_command report(program);
  leat::cli::sim_command sim(program);
  leat::cli::predict_command predict(program);
  leat::cli::figure_command figure(program);
  leat::cli::topology_command topology(program);
  leat::cli::info_command info(program, LEAT_DESCRIBED);
  leat::cli::uts_command uts(program, "The same as leat bench uts; with --cluster on the ranks of a cluster");
  program.require_subcommand(0, 1);
  if (const std::optional<int> status = parse(program, argc, argv)) return *status;
  if (sim.chosen()) sim.run();
  if (predict.chosen()) predict.run();
  const int status = uts.chosen()        ? uts.run()
                     : bench.chosen()    ? bench.run()
                     : compare.chosen()  ? compare.run()
                     : profile.chosen()  ? profile.run()
                     : explain.chosen()  ? explain.run()
                     : report.chosen()   ? report.run()
                     : figure.chosen()   ? figure.run()
                     : topology.chosen() ? topology.run()
                                         : info.run();
  if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // leat bench uts --cluster is leat uts --cluster.
  if (argc > 1 && std::string_view(argv[1]) == "bench" && leat::cli::asks_for_cluster(argc - 1, argv + 1)) {
    argv[1] = argv[0];
    ++argv;
    --argc;
  }
  leat::cli::remove_mark_of_profile(argc, argv);
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
