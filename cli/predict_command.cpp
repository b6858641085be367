#include "predict_command.hpp"

#include "sibling_program.hpp"

namespace leat::cli {

predict_command::predict_command(CLI::App& program)
    : command_(program.add_subcommand("predict", "Predict how fast a recorded program is on other machines")) {
  command_->prefix_command();
  command_->set_help_flag();
}

void predict_command::run() const { become_sibling("leat-sim", "leat predict", command_->remaining()); }

}  // namespace leat::cli
