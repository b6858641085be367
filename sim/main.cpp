// The program leat-sim: kernels in simulated worlds.

#include "figure_command.hpp"
#include "simulated_kernel.hpp"

#include "compared_kernel.hpp"
#include "option_values.hpp"
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

int run(int argc, char** argv) {
  CLI::App program("Kernels in simulated worlds: any machine, any number of workers, the same again from a seed.",
                   "leat sim");
  leat::cli::refuse_values_of_flags(program);
  program.set_version_flag("--version", leat::version());
  program.require_subcommand(0, 1);
  std::string figure;
  bool markdown = false, json = false, no_progress = false;
  const CLI::Option* const asked =
      program.add_option("--figure", figure, "A figure or table of Prell's thesis: " + leat::sim::known_figures())
          ->type_name("NAME");
  program.add_flag("--markdown", markdown, "Of a figure: a table in Markdown");
  program.add_flag("--json", json, "Of a figure: JSON");
  program.add_flag("--no-progress", no_progress, "Of a figure: show nothing on a terminal while it lasts");
  std::vector<std::unique_ptr<leat::sim::simulated_kernel>> kernels;
  for (auto& kernel : leat::cli::compared_kernels()) {
    kernels.push_back(std::make_unique<leat::sim::simulated_kernel>(program, std::move(kernel)));
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    complain(leat::cli::reason(program, error));
    std::cerr << leat::cli::where_to_look(program) << '\n';
    return bad_input;
  }
  if (asked->empty() && (json || markdown || no_progress)) {
    throw std::invalid_argument(std::string(json       ? "--json"
                                            : markdown ? "--markdown"
                                                       : "--no-progress") +
                                ": takes --figure, or comes after a kernel");
  }
  if (!asked->empty()) {
    if (const auto kernel = program.get_subcommands(); !kernel.empty()) {
      leat::cli::refuse("--figure", "'" + figure + "'", "takes no kernel, such as " + kernel.front()->get_name());
    }
    using leat::sim::figure_format;
    leat::sim::show_figure(figure,
                           json       ? figure_format::json
                           : markdown ? figure_format::markdown
                                      : figure_format::text,
                           !no_progress);
    return 0;
  }
  for (auto& kernel : kernels) {
    if (!kernel->chosen()) continue;
    kernel->run();
    return 0;
  }
  for (auto& kernel : kernels) std::cout << kernel->summary() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = run(argc, argv);
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
