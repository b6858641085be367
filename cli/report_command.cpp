#include "report_command.hpp"

#include "report_page.hpp"
#include "results.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace leat::cli {

report_command::report_command(CLI::App& program)
    : command_(program.add_subcommand(
          "report", "Make one page of HTML from the results of leat compare --json and leat sim KERNEL --json")) {
  command_->add_option("FOLDER", folder_, "Where the results are, in files that end in .json")->required();
  command_->add_option("--page", page_, "The page; else FOLDER/index.html")->type_name("FILE");
}

int report_command::run() const {
  const std::string page = report_page(read_results(folder_));
  const std::filesystem::path path =
      page_.empty() ? std::filesystem::path(folder_) / "index.html" : std::filesystem::path(page_);
  std::ofstream file(path);
  if (!(file << page) || !file.flush()) throw std::runtime_error("cannot write " + path.string());
  std::cout << path.string() << '\n';
  return 0;
}

}  // namespace leat::cli
