#include "report_command.hpp"

#include "bubble_page.hpp"
#include "option_values.hpp"
#include "report_page.hpp"
#include "report_picture.hpp"
#include "results.hpp"
#include "whole_file.hpp"

#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

namespace leat::cli {

report_command::report_command(CLI::App& program)
    : command_(program.add_subcommand("report",
                                      "Make a page of HTML, or a picture, from the results of leat compare --json and "
                                      "leat sim KERNEL --json; or a page from a trace of bubbles")) {
  command_
      ->add_option("FOLDER", folder_,
                   "Where the results are, in files that end in .json; or the file that --trace wrote")
      ->required();
  command_->add_option("--page", page_, "The page; else FOLDER/index.html, or the trace's name with .html")
      ->type_name("FILE");
  command_
      ->add_option("--picture", picture_,
                   "Instead of a page an SVG picture: the speed-ups of all results, named by their files")
      ->type_name("FILE")
      ->excludes("--page");
}

void report_command::refuse_if_read(const char* option, const std::string& path) const {
  std::error_code unknown;
  if (std::filesystem::path(path).extension() == ".json" ||
      (!path.empty() && std::filesystem::equivalent(path, folder_, unknown)))
    refuse(option, "'" + path + "'", "must not be a file that results are read from");
}

int report_command::run() const {
  refuse_if_read("--page", page_);
  refuse_if_read("--picture", picture_);
  if (!picture_.empty()) {
    write_whole(picture_, report_picture(read_results(folder_)));
    std::cout << picture_ << '\n';
    return 0;
  }
  std::error_code unknown;  // then read_results says what is wrong
  const bool trace = std::filesystem::is_regular_file(folder_, unknown);
  std::filesystem::path path(page_);
  const std::string page = trace ? bubble_page(read_whole(folder_), folder_) : report_page(read_results(folder_));
  if (page_.empty())
    path = trace ? std::filesystem::path(folder_).replace_extension(".html")
                 : std::filesystem::path(folder_) / "index.html";
  write_whole(path, page);
  std::cout << path.string() << '\n';
  return 0;
}

}  // namespace leat::cli
