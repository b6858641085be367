#include "figure_runs.hpp"

#include "child_process.hpp"
#include "json_text.hpp"
#include "whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

// Between two looks at the programs that are running.
constexpr std::chrono::milliseconds poll_every{2};
// Bytes that a command may print, and lines of its errors that are shown.
constexpr std::uintmax_t output_max = 64 << 20;
constexpr std::size_t message_max = 500;

std::string message_of(const std::filesystem::path& errors) {
  std::string text = read_whole(errors);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > message_max) text.resize(message_max);
  return text.empty() ? "it said nothing" : text;
}

// One command while it runs.
class run_under_way {
 public:
  run_under_way(const needed_run& needed, const kept_results& kept, std::size_t number)
      : needed_(needed),
        child_(program_of(needed.command), words_of(needed.command), kept.unfinished(fmt::format("{}.out", number)),
               kept.unfinished(fmt::format("{}.err", number))) {}

  ~run_under_way() {
    std::error_code gone;
    std::filesystem::remove(child_.output(), gone);
    std::filesystem::remove(child_.errors(), gone);
  }
  run_under_way(const run_under_way&) = delete;
  run_under_way& operator=(const run_under_way&) = delete;

  // Whether it has ended. Then its output has been kept, or `wrong` has one message more.
  bool settle(kept_results& kept, std::vector<std::string>& wrong) {
    const auto end = child_.ended(needed_.limit);
    if (!end) return false;
    std::string why;
    if (end->too_long) why = fmt::format("took longer than {} s", needed_.limit.count());
    else if (end->status != 0) why = fmt::format("status {}: {}", end->status, message_of(child_.errors()));
    else why = keep_in(kept);
    if (!why.empty()) wrong.push_back(fmt::format("{}: leat {}: {}", needed_.figure, needed_.command.text(), why));
    return true;
  }

 private:
  static std::vector<std::string> words_of(const command_words& command) {
    std::vector<std::string> words = command.words();
    // leat-sim is what `leat sim` becomes: it has no such word.
    if (command.command() == "sim") words.front() = "leat sim";
    else words.insert(words.begin(), "leat");
    return words;
  }

  std::string keep_in(kept_results& kept) {
    if (std::filesystem::file_size(child_.output()) > output_max)
      return fmt::format("printed more than {} bytes", output_max);
    try {
      ordered_json output = parsed(read_whole(child_.output()));
      if (!output.is_object()) return "printed no JSON object";
      kept.keep(needed_.command, std::move(output));
      return {};
    } catch (const std::invalid_argument& error) {
      return fmt::format("printed no JSON: {}", error.what());
    }
  }

  const needed_run& needed_;
  child_process child_;
};

void run_group(const std::vector<const needed_run*>& group, unsigned at_once, kept_results& kept, progress& shown,
               std::vector<std::string>& wrong) {
  std::vector<std::unique_ptr<run_under_way>> running;
  std::size_t begun = 0;
  std::atomic<std::size_t> ended = 0;
  if (group.empty()) return;
  const progress::step now(shown, fmt::format("{} runs, {} at once", group.size(), at_once),
                           [&ended] { return fmt::format(", {} are done", ended.load()); });
  while (begun < group.size() || !running.empty()) {
    for (; begun < group.size() && running.size() < at_once; ++begun)
      running.push_back(std::make_unique<run_under_way>(*group[begun], kept, begun));
    const std::size_t before = running.size();
    std::erase_if(running, [&](const auto& one) { return one->settle(kept, wrong); });
    ended += before - running.size();
    if (before == running.size()) std::this_thread::sleep_for(poll_every);
  }
}

}  // namespace

std::vector<std::string> run_all(const std::vector<needed_run>& all, kept_results& kept, unsigned at_once,
                                 progress& shown) {
  std::vector<const needed_run*> simulated, native;
  for (const needed_run& one : all) (one.command.command() == "sim" ? simulated : native).push_back(&one);
  std::vector<std::string> wrong;
  run_group(simulated, at_once, kept, shown, wrong);
  run_group(native, 1, kept, shown, wrong);
  return wrong;
}

}  // namespace leat::cli
