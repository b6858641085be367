#include "report_command.hpp"

#include "bubble_page.hpp"
#include "option_values.hpp"
#include "report_page.hpp"
#include "results.hpp"
#include "whole_file.hpp"

#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

namespace leat::cli {

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
  std::error_code unknown;  // then read_results says what is wrong
  const bool trace = std::filesystem::is_regular_file(folder_, unknown);
  std::filesystem::path path(page_);
  if (path.extension() == ".json" || (!page_.empty() && std::filesystem::equivalent(path, folder_, unknown)))
    refuse("--page", "'" + page_ + "'", "must not be a file that results are read from");
  const std::string page = trace ? bubble_page(read_whole(folder_), folder_) : report_page(read_results(folder_));
  if (page_.empty())
    path = trace ? std::filesystem::path(folder_).replace_extension(".html")
                 : std::filesystem::path(folder_) / "index.html";
  write_whole(path, page);
  std::cout << path.string() << '\n';
  return 0;
}

}  // namespace leat::cli
