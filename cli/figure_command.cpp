#include "figure_command.hpp"

#include "figure_names.hpp"
#include "figure_page.hpp"
#include "figure_points.hpp"
#include "installed_file.hpp"
#include "json_text.hpp"
#include "kept_results.hpp"
#include "option_values.hpp"
#include "whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

namespace leat::cli {

namespace {

constexpr std::int64_t at_once_max = 1024;
// Messages of commands that failed; there are more in the same words.
constexpr std::size_t messages_max = 10;

void list_figures(const figure_folder& all) {
  std::size_t width = 0;
  for (const figure& f : all.figures) width = std::max(width, f.name.size());
  for (const figure& f : all.figures) std::cout << fmt::format("{:<{}}  {}\n", f.name, width, f.title);
}

void tell_failures(const std::vector<std::string>& wrong) {
  for (std::size_t i = 0; i < std::min(wrong.size(), messages_max); ++i) std::cerr << "leat: " << wrong[i] << '\n';
  if (wrong.size() > messages_max)
    std::cerr << fmt::format("leat: and {} more commands failed\n", wrong.size() - messages_max);
}

// The figures whose numbers can be read. A number that is not where the definition says goes to `wrong`: it must not hide the others.
std::vector<measured_figure> read_all(const std::vector<figure>& figures, const figure_folder& folder, bool quick,
                                      const figure_numbers::outputs& printed, std::vector<std::string>& wrong) {
  std::vector<measured_figure> all;
  for (const figure& f : figures) {
    try {
      all.push_back(measured(f, folder.documents.at(f.document), quick, printed));
    } catch (const std::runtime_error& error) {
      wrong.emplace_back(error.what());
    }
  }
  return all;
}

}  // namespace

figure_command::figure_command(CLI::App& program)
    : command_(program.add_subcommand(
          "figure", "Repeat figures and tables of papers; without a name, list those that are defined")) {
  command_->add_option("NAME", names_, "Figures, such as thesis-3.9; patterns, such as 'thesis-3.*'; or all");
  command_->add_option("--folder", folder_, "Folder for results; a result that is there is not run again")
      ->type_name("FOLDER")
      ->capture_default_str();
  command_->add_option("--definitions", definitions_, "Folder of definitions; else those that come with the program")
      ->type_name("FOLDER");
  command_->add_flag("--quick", quick_, "Smaller sizes, one seed");
  command_->add_flag("--dry-run", dry_run_, "Only print the commands, and whose results are there");
  command_->add_flag("--markdown", markdown_, "Print Markdown");
  command_->add_flag("--json", json_, "Print JSON");
  command_->add_option("--page", page_, "Write a page of all figures, with pictures beside it")->type_name("FILE");
  command_->add_option("--machine", machine_, "The machine that the page names; else as the system names it")
      ->type_name("TEXT");
  command_->add_option("--date", date_, "The day that the page names; else today")->type_name("TEXT");
  add_number(*command_, "--jobs", at_once_, "Simulations at a time; else one for each CPU");
  add_no_progress(*command_, no_progress_);
}

std::filesystem::path figure_command::definitions() const {
  if (!definitions_.empty()) return definitions_;
  const std::vector<std::filesystem::path> there = installed_folders("figures");
  if (there.empty())
    throw std::runtime_error("figure: there are no definitions beside the program: share/leat/figures");
  return there.front();
}

void figure_command::check() const {
  const std::pair<const char*, const std::string*> paths[] = {
      {"--folder", &folder_}, {"--definitions", &definitions_}, {"--page", &page_}};
  for (const auto& [option, path] : paths) {
    if (command_->count(option) != 0 && path->empty()) refuse(option, "''", "must name a file or a folder");
  }
  if (at_once_ && (*at_once_ < 1 || *at_once_ > at_once_max))
    refuse("--jobs", std::to_string(*at_once_), fmt::format("must be between 1 and {}", at_once_max));
  if (names_.empty() && (quick_ || dry_run_ || markdown_ || json_ || !page_.empty()))
    throw std::invalid_argument("figure: takes a name, or all, with these options");
}

std::vector<needed_run> figure_command::runs_of(const figure_folder& folder, const std::vector<figure>& figures) const {
  std::vector<needed_run> all;
  std::set<std::string> known;
  for (const figure& f : figures) {
    for (command_words& command : commands_of(f, folder.documents.at(f.document), quick_)) {
      if (known.insert(command.text()).second)
        all.push_back({std::move(command), f.name, std::chrono::seconds(f.limit_s)});
    }
  }
  return all;
}

void figure_command::report(const std::vector<measured_figure>& all, const figure_folder& folder) const {
  if (!page_.empty()) {
    const page_head head{machine_.empty() ? this_machine() : machine_, date_.empty() ? today() : date_,
                         folder.documents};
    write_page(page_, all, head, definitions());
    std::cout << page_ << '\n';
    return;
  }
  if (json_) {
    nlohmann::ordered_json figures = nlohmann::ordered_json::array();
    for (const measured_figure& m : all) figures.push_back(to_json(m));
    std::cout << as_text(figures) << '\n';
    return;
  }
  if (all.size() > 1) std::cout << (markdown_ ? summary_markdown(all) : summary_text(all)) << '\n';
  bool first = true;
  for (const measured_figure& m : all) {
    if (!first) std::cout << '\n';
    first = false;
    std::cout << (markdown_ ? to_markdown(m, "") : to_text(m));
  }
}

int figure_command::run() const {
  check();
  const figure_folder folder = read_figures(definitions());
  if (names_.empty()) {
    list_figures(folder);
    return 0;
  }
  std::vector<figure> figures = named_figures(folder, names_);
  if (quick_) std::ranges::transform(figures, figures.begin(), quick_figure);
  if (!page_.empty()) expect_writable(page_);
  kept_results kept(folder_);
  const std::vector<needed_run> needed = runs_of(folder, figures);
  std::vector<needed_run> missing;
  for (const needed_run& one : needed) {
    const bool there = kept.find(one.command) != nullptr;
    if (dry_run_) std::cout << fmt::format("{} leat {}\n", there ? "kept   " : "missing", one.command.text());
    if (!there) missing.push_back(one);
  }
  if (dry_run_) return 0;
  std::vector<std::string> wrong;
  {
    progress shown(!no_progress_);
    const auto cpus = static_cast<unsigned>(at_once_.value_or(std::max(1U, std::thread::hardware_concurrency())));
    wrong = run_all(missing, kept, cpus, shown);
  }
  const auto printed = [&kept](const command_words& command) { return kept.find(command); };
  const std::vector<measured_figure> all = read_all(figures, folder, quick_, printed, wrong);
  tell_failures(wrong);  // first: what ends the report must not hide it
  report(all, folder);
  return wrong.empty() ? 0 : 1;
}

}  // namespace leat::cli
