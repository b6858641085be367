#include "report_command.hpp"

#include "bubble_page.hpp"
#include "option_values.hpp"
#include "perfetto_trace.hpp"
#include "profile_file.hpp"
#include "profile_page.hpp"
#include "report_page.hpp"
#include "report_picture.hpp"
#include "results.hpp"
#include "whole_file.hpp"

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

namespace leat::cli {

namespace {

std::string page_of_file(const std::string& text, const std::string& file) {
  return is_profile(text) ? profile_page(read_profile(text, file)) : bubble_page(text, file);
}

}  // namespace

report_command::report_command(CLI::App& program)
    : command_(program.add_subcommand("report",
                                      "Make a page of HTML, or a picture, from the results of leat compare --json and "
                                      "leat sim KERNEL --json; or a page from a profile or a trace of bubbles")) {
  command_
      ->add_option("FOLDER", folder_,
                   "Folder of results, in files that end in .json; or a profile, or a file that --trace wrote")
      ->required();
  command_->add_option("--page", page_, "The page; else FOLDER/index.html, or the file's name with .html")
      ->type_name("FILE");
  command_
      ->add_option("--picture", picture_,
                   "Draw an SVG picture instead of a page: the speed-ups of all results, under their files' names")
      ->type_name("FILE")
      ->excludes("--page");
  command_
      ->add_option("--perfetto", perfetto_,
                   "Write the intervals of a profile instead, in the trace-event format that ui.perfetto.dev opens")
      ->type_name("FILE")
      ->excludes("--page")
      ->excludes("--picture");
}

void report_command::refuse_if_read(const char* option, const std::string& path) const {
  std::error_code unknown;
  const std::filesystem::path written = std::filesystem::weakly_canonical(path, unknown);  // where a link leads
  const bool may_be_result = written.extension() == ".json" && option != std::string_view("--perfetto");
  if (may_be_result || (!path.empty() && std::filesystem::equivalent(path, folder_, unknown)))
    refuse(option, "'" + path + "'", "must not be a file that results are read from");
}

int report_command::write_trace_of_profile() const {
  const std::string text = read_whole(folder_);
  write_whole(perfetto_, perfetto_trace(read_profile(text, folder_)));
  std::cout << perfetto_ << '\n';
  return 0;
}

int report_command::run() const {
  refuse_if_read("--page", page_);
  refuse_if_read("--picture", picture_);
  if (command_->count("--perfetto") != 0) {
    if (perfetto_.empty()) refuse("--perfetto", "''", "must be a file to write");
    refuse_if_read("--perfetto", perfetto_);
    return write_trace_of_profile();
  }
  if (command_->count("--picture") != 0) {
    if (picture_.empty()) refuse("--picture", "''", "must be a file to write");
    write_whole(picture_, report_picture(read_results(folder_)));
    std::cout << picture_ << '\n';
    return 0;
  }
  std::error_code unknown;  // then read_results says what is wrong
  const bool is_file = std::filesystem::is_regular_file(folder_, unknown);
  std::filesystem::path path(page_);
  const std::string page = is_file ? page_of_file(read_whole(folder_), folder_) : report_page(read_results(folder_));
  if (page_.empty())
    path = is_file ? std::filesystem::path(folder_).replace_extension(".html")
                   : std::filesystem::path(folder_) / "index.html";
  refuse_if_read("--page", path.string());
  write_whole(path, page);
  std::cout << path.string() << '\n';
  return 0;
}

}  // namespace leat::cli
