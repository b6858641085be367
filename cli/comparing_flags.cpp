#include "comparing_flags.hpp"

#include "kernels/range.hpp"
#include "option_values.hpp"
#include "rival.hpp"

#include <leat/options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace leat::cli {

void comparing_flags::add_to(CLI::App& command) {
  command
      .add_option("--schedulers", schedulers_,
                  fmt::format("Schedulers to compare, with commas between them: {}; else all", known_schedulers()))
      ->type_name("WORDS");
  command
      .add_option(
          "--rivals", rivals_,
          fmt::format("Other libraries to compare with, with commas between them: {}; none; else all", known_rivals()))
      ->type_name("WORDS");
  workers_.add_to(command);
  rounds_.add_to(command);
  add_number(command, "--warmup", warmup_, "Untimed runs right before each timed one");
  command.add_flag("--alone", alone_, "Also run each program with one worker: T1, and the work overhead T1/Ts");
  command.add_flag("--csv", csv_, "Report comma-separated values");
  command.add_flag("--markdown", markdown_, "Report Markdown tables");
}

namespace {

// The words of a list with commas; one that stands there twice is refused.
std::vector<std::string> words_of(const char* option, const std::string& list) {
  std::vector<std::string> words;
  std::istringstream text(list + ',');
  for (std::string word; std::getline(text, word, ',');) {
    if (!word.empty() && std::ranges::find(words, word) != words.end())
      refuse(option, "'" + list + "'", word + " stands there twice");
    words.push_back(word);
  }
  return words;
}

}  // namespace

std::vector<std::string> comparing_flags::schedulers() const {
  if (!schedulers_) return {scheduler_names().begin(), scheduler_names().end()};
  std::vector<std::string> names = words_of("--schedulers", *schedulers_);
  for (const std::string& name : names) check_scheduler("--schedulers", name);
  return names;
}

std::vector<std::filesystem::path> comparing_flags::rivals() const {
  if (rivals_ == "none") return {};
  std::vector<std::filesystem::path> found = found_rivals();
  if (!rivals_) return found;
  std::vector<std::filesystem::path> chosen;
  for (const std::string& name : words_of("--rivals", *rivals_)) {
    const auto at = std::ranges::find(found, name, [](const auto& program) { return program.filename().string(); });
    if (at == found.end()) refuse("--rivals", "'" + name + "'", "must be none, or of " + known_rivals());
    chosen.push_back(*at);
  }
  return chosen;
}

comparing comparing_flags::how() const {
  if (json() + csv() + markdown() > 1) throw std::invalid_argument("--json, --csv and --markdown: give one of them");
  kernels::check_range("--warmup", warmup_, 0, warmup_max);
  comparing how;
  how.schedulers = schedulers();
  how.rivals = rivals();
  how.options = workers_.options();
  how.options.scheduler = how.schedulers.front();  // LEAT_SCHEDULER means none of them, whatever it says
  how.repeat = rounds_.repeat();
  how.warmup = static_cast<unsigned>(warmup_);
  how.serial = rounds_.serial();
  how.alone = alone_;
  how.shows_progress = rounds_.shows_progress();
  return how;
}

}  // namespace leat::cli
