#include "report_command.hpp"

#include "bubble_page.hpp"
#include "report_page.hpp"
#include "results.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace leat::cli {

namespace {

std::string read(const std::string& file) {
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error("cannot read " + file);
  return text;
}

}  // namespace

report_command::report_command(CLI::App& program)
    : command_(program.add_subcommand("report",
                                      "Make one page of HTML from the results of leat compare --json and leat sim "
                                      "KERNEL --json, or from a trace of bubbles")) {
  command_
      ->add_option("FOLDER", folder_,
                   "Where the results are, in files that end in .json; or the file that --trace wrote")
      ->required();
  command_->add_option("--page", page_, "The page; else FOLDER/index.html, or the trace's name with .html")
      ->type_name("FILE");
}

int report_command::run() const {
  const bool trace = std::filesystem::is_regular_file(folder_);
  const std::string page = trace ? bubble_page(read(folder_), folder_) : report_page(read_results(folder_));
  std::filesystem::path path(page_);
  if (page_.empty())
    path = trace ? std::filesystem::path(folder_).replace_extension(".html")
                 : std::filesystem::path(folder_) / "index.html";
  std::ofstream file(path);
  if (!(file << page) || !file.flush()) throw std::runtime_error("cannot write " + path.string());
  std::cout << path.string() << '\n';
  return 0;
}

}  // namespace leat::cli
