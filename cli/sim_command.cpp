#include "sim_command.hpp"

#include "sibling_program.hpp"

namespace leat::cli {

sim_command::sim_command(CLI::App& program)
    : command_(program.add_subcommand("sim", "Run a kernel in a simulated world; without one, list the kernels")) {
  command_->prefix_command();
  command_->set_help_flag();
}

void sim_command::run() const { become_sibling("leat-sim", "leat sim", command_->remaining()); }

}  // namespace leat::cli
