// Measures kernels that are compiled for the profiled platform, so that a run can be recorded:
//
//   LEAT_PROFILE=fib,record leat_bench_recorded bench fib -n 25 --workers 1 --no-serial

#include "bench_command.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  CLI::App program("Kernels whose runs can be recorded.", "leat_bench_recorded");
  program.require_subcommand(1);
  leat::cli::bench_command bench(program);
  try {
    program.parse(argc, argv);
    return bench.run();
  } catch (const CLI::ParseError& e) {
    return program.exit(e);
  } catch (const std::exception& e) {
    std::cerr << "leat_bench_recorded: " << e.what() << '\n';
    return 2;
  }
}
