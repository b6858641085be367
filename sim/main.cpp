// The program leat-sim: kernels, and recorded programs, in simulated worlds.

#include "prediction_command.hpp"
#include "simulated_cluster.hpp"
#include "simulated_kernel.hpp"

#include "compared_kernel.hpp"
#include "parse_failure.hpp"

#include <leat/version.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

// The exit status of the program, beside 0; as of leat.
constexpr int failed = 1;
constexpr int bad_input = 2;

void complain(std::string_view what) { std::cerr << (what.starts_with("leat") ? "" : "leat: ") << what << '\n'; }

// Whether the program is to go on. If not, `status` is what it exits with: after help, or for what is refused.
bool parse(CLI::App& program, int argc, char** argv, int& status) {
  try {
    program.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      status = program.exit(error);
      return false;
    }
    complain(leat::cli::reason(program, error));
    std::cerr << leat::cli::where_to_look(program) << '\n';
    status = bad_input;
    return false;
  }
}

// `leat predict` calls the program by this name.
constexpr std::string_view predicting = "leat predict";

int predict(int argc, char** argv) {
  CLI::App program("A recorded program on other machines: how fast would it be there, and where would the time go?",
                   std::string(predicting));
  leat::cli::refuse_values_of_flags(program);
  leat::sim::prediction_command command(program);
  int status = 0;
  if (parse(program, argc, argv, status)) command.run();
  return status;
}

int run(int argc, char** argv) {
  CLI::App program("Kernels in simulated worlds: any machine, any number of workers, repeatable from a seed.",
                   "leat sim");
  leat::cli::refuse_values_of_flags(program);
  program.set_version_flag("--version", leat::version());
  program.require_subcommand(0, 1);
  std::vector<std::unique_ptr<leat::sim::simulated_kernel>> kernels;
  for (auto& kernel : leat::cli::compared_kernels()) {
    kernels.push_back(std::make_unique<leat::sim::simulated_kernel>(program, std::move(kernel)));
  }
  leat::sim::simulated_cluster cluster(program);
  int status = 0;
  if (!parse(program, argc, argv, status)) return status;
  for (auto& kernel : kernels) {
    if (!kernel->chosen()) continue;
    kernel->run();
    return 0;
  }
  if (cluster.chosen()) {
    cluster.run();
    return 0;
  }
  for (auto& kernel : kernels) std::cout << kernel->summary() << '\n';
  std::cout << cluster.summary() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = argv[0] == predicting ? predict(argc, argv) : run(argc, argv);
    if (!std::cout.flush()) throw std::runtime_error("cannot write to standard output");
    return status;
  } catch (const std::invalid_argument& error) {
    complain(error.what());
    return bad_input;
  } catch (const std::exception& error) {
    complain(error.what());
    return failed;
  }
}
