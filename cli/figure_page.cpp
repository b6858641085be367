#include "figure_page.hpp"

#include "child_process.hpp"
#include "json_text.hpp"
#include "whole_file.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace leat::cli {

namespace {

constexpr std::chrono::seconds drawing_limit{300};
constexpr std::chrono::milliseconds drawing_poll{10};

// What hinders the drawing; empty if nothing.
std::string drawn(const std::filesystem::path& script, const std::filesystem::path& folder,
                  const std::vector<measured_figure>& all) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw std::runtime_error(fmt::format("cannot make {}: {}", folder.string(), error.message()));
  nlohmann::ordered_json figures = nlohmann::ordered_json::array();
  for (const measured_figure& m : all) figures.push_back(to_json(m));
  const std::filesystem::path data = folder / "figures.json.unfinished", said = folder / "draw.unfinished";
  write_whole(data, as_text(figures));
  std::string why;
  {
    child_process python("/usr/bin/env", {"env", "python3", script.string(), folder.string(), data.string()}, said,
                         said);
    std::optional<child_process::ending> end;
    while (!(end = python.ended(drawing_limit))) std::this_thread::sleep_for(drawing_poll);
    if (end->too_long) why = fmt::format("it took longer than {} s", drawing_limit.count());
    else if (end->status != 0) why = read_whole(said);
  }
  std::filesystem::remove(data, error);
  std::filesystem::remove(said, error);
  const std::size_t last = why.find_last_not_of('\n');
  if (last == std::string::npos) return {};
  why.resize(last + 1);
  return why.substr(why.rfind('\n') + 1);  // the last line of what Python says
}

std::string left_out_of(const std::map<std::string, document>& documents) {
  std::string text;
  for (const auto& [key, paper] : documents) {
    for (const auto& [figure, why] : paper.left_out) text += fmt::format("- {}-{}: {}\n", key, figure, why);
  }
  return text.empty() ? text : "## Left out\n\n" + text + '\n';
}

std::string head_of(const page_head& head, const std::vector<measured_figure>& all, const std::string& no_pictures) {
  std::string text =
      "# Figures of the papers, repeated\n\n`leat figure NAME... --page FILE` makes this page. [The "
      "guide](../guide/figures.md) "
      "says how to repeat a figure, how to define one, and what a verdict means. Verdicts are computed from the "
      "numbers "
      "that stand beside them.\n\n";
  text += fmt::format("{}. Native runs: {}. Simulated ones are the same on every machine for one build.\n\n", head.date,
                      head.machine);
  if (!no_pictures.empty()) text += fmt::format("There are no pictures: {}.\n\n", no_pictures);
  std::set<std::string> papers;
  for (const measured_figure& m : all) {
    if (papers.insert(m.of.document).second) text += fmt::format("- `{}`: {}\n", m.of.document, m.paper.title);
  }
  return text + '\n' + summary_markdown(all) + '\n';
}

}  // namespace

void write_page(const std::filesystem::path& page, const std::vector<measured_figure>& all, const page_head& head,
                const std::filesystem::path& definitions) {
  expect_writable(page);
  const std::filesystem::path folder = page.parent_path() / page.stem();
  const std::string no_pictures = drawn(definitions / "draw.py", folder, all);
  std::string sections;
  for (const measured_figure& m : all) {
    const std::filesystem::path picture = folder / (m.of.name + ".svg");
    const bool there = no_pictures.empty() && std::filesystem::exists(picture);
    sections += to_markdown(m, there ? page.stem().string() + "/" + picture.filename().string() : "") + '\n';
  }
  std::string text = head_of(head, all, no_pictures) + sections + left_out_of(head.documents);
  text.pop_back();  // the blank line after the last section
  write_whole(page, text);
}

std::string this_machine() {
  std::ifstream in("/proc/cpuinfo");
  std::string model = "an unknown processor";
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(line.find(':') + 2);
    break;
  }
  const unsigned cpus = std::thread::hardware_concurrency();
  return fmt::format("{}, {} CPU{}", model, cpus, cpus == 1 ? "" : "s");
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  localtime_r(&now, &day);
  constexpr int first_year = 1900;
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + first_year, day.tm_mon + 1, day.tm_mday);
}

}  // namespace leat::cli
