#include "sim_command.hpp"

#include "sibling_program.hpp"

#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace leat::cli {

sim_command::sim_command(CLI::App& program)
    : command_(program.add_subcommand("sim", "Run a kernel in a simulated world; without one, list the kernels")) {
  command_->prefix_command();
  command_->set_help_flag();
}

void sim_command::run() const {
  const std::string file = sibling_program("leat-sim");
  std::vector<std::string> words = command_->remaining();
  std::vector<char*> arguments{const_cast<char*>("leat sim")};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  throw std::runtime_error("cannot run '" + file + "': " + std::generic_category().message(errno));
}

}  // namespace leat::cli
