#include "profile_command.hpp"

#include "capacity.hpp"
#include "explanation.hpp"
#include "measurement.hpp"
#include "option_values.hpp"
#include "profile_file.hpp"
#include "profiled_program.hpp"
#include "whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace leat::cli {

namespace {

// The time of work that needs only a CPU.
double seconds_of_arithmetic(unsigned start) {
  constexpr std::uint64_t steps = 20'000'000;
  return seconds_taken([start] {
    std::uint64_t x = start + 1;
    for (std::uint64_t i = 0; i < steps; ++i) {
      x ^= x << 13;  // NOLINT(readability-magic-numbers): a step of Marsaglia's xorshift
      x ^= x >> 7;   // NOLINT(readability-magic-numbers)
      x ^= x << 17;  // NOLINT(readability-magic-numbers)
    }
    asm volatile("" : : "r"(x));  // so that it is computed
  });
}

// Together so many threads do this many times the work of one. From the least times of some tries.
double measured_capacity(unsigned threads) {
  constexpr int tries = 5;
  const reference all = capacity(threads, seconds_of_arithmetic);
  double one_s = seconds_of_arithmetic(0), all_s = all.run();
  for (int i = 1; i < tries; ++i) {
    one_s = std::min(one_s, seconds_of_arithmetic(0));
    all_s = std::min(all_s, all.run());
  }
  return one_s / all_s;
}

// A file that is there, and does not begin as a profile does; what is left of a program that was killed is empty.
bool is_other_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string begin(profile_begin.size(), '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  return !begin.empty() && begin != profile_begin;
}

void expect_profile_name(const std::string& file) {
  const auto refuse_it = [&file](const char* why) { refuse("-o", "'" + file + "'", why); };
  if (file.empty() || file.find(',') != std::string::npos || file.find("%p") != std::string::npos)
    refuse_it("must be a file's name, without a comma and without %p");
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown))
    refuse_it("must be a regular file, or none yet");
  if (is_other_file(file)) refuse_it("must be a profile, or none yet: the file there would be lost");
  expect_writable(file);
}

using written = std::optional<std::filesystem::file_time_type>;

// When a file was last written, if it is there and not empty: a program creates its profile when it begins, and writes it when it
// ends.
written last_written(const std::string& file) {
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(file, unknown);
  if (unknown || bytes == 0) return std::nullopt;
  const auto at = std::filesystem::last_write_time(file, unknown);
  return unknown ? written() : at;
}

// The program may change its directory. A comma ends the name of a file in LEAT_PROFILE, and %p stands for a number.
std::string name_for_program(const std::string& file) {
  const std::string whole = std::filesystem::absolute(file).string();
  return whole.find(',') == std::string::npos && whole.find("%p") == std::string::npos ? whole : file;
}

// How a program ended, in words.
std::string ending(int status) {
  constexpr int of_a_signal = 128;
  return status > of_a_signal
             ? fmt::format("was ended by signal {} ({})", status - of_a_signal, strsignal(status - of_a_signal))
             : fmt::format("ended with {}", status);
}

struct profiled_end {
  int status;
  bool has_profile;
};

// Runs the program. An older profile stays if the program writes none.
profiled_end run_for_profile(const std::vector<std::string>& words, const std::string& file, bool one_worker) {
  const written before = last_written(file);
  const int status = run_profiled(words, name_for_program(file), one_worker);
  const written after = last_written(file);
  if (after && after != before) return {status, true};
  std::error_code unknown;
  if (!after) std::filesystem::remove(file, unknown);  // an empty one
  if (status == 0) {
    throw std::runtime_error(
        fmt::format("{} wrote no profile: it made no runtime, is not linked to this version of leat, or "
                    "ended by _exit or exec",
                    words.front()));
  }
  std::cerr << fmt::format("leat: {} {}, and wrote no profile\n", words.front(), ending(status));
  return {status, false};
}

// Runs the program again, with one worker. None if that tells nothing, and says why.
std::optional<profile> profile_of_one(const std::vector<std::string>& words, const std::string& file) {
  const profiled_end end = run_for_profile(words, file, true);
  if (!end.has_profile) return std::nullopt;
  profile one = read_profile(read_whole(file), file);
  std::string why;
  if (end.status != 0) why = "the program " + ending(end.status);
  else if (most_workers(one) > 1)
    why = fmt::format("the program made {} workers in spite of LEAT_NUM_WORKERS=1", most_workers(one));
  if (why.empty()) return one;
  std::cerr << fmt::format("leat: --one: {}, so tasks are not compared ({})\n", why, file);
  return std::nullopt;
}

// As many threads as its workers could use at a time.
std::uint64_t threads_of(const profile& of) {
  const std::uint64_t most = most_workers(of);
  return of.cpus == 0 ? most : std::min(most, of.cpus);
}

}  // namespace

void remove_mark_of_profile(int& argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "profile") return;
  for (int i = 2; i < argc && *argv[i] == '-'; ++i) {
    const std::string_view word = argv[i];
    if (word == "-o" || word == "--output") ++i;  // the file follows
    if (word != "--") continue;
    std::copy(argv + i + 1, argv + argc + 1, argv + i);  // with the null pointer behind the last
    --argc;
    return;
  }
}

profile_command::profile_command(CLI::App& program)
    : command_(program.add_subcommand("profile", "Run a program that uses leat, and say why it does not scale")) {
  command_->prefix_command();
  command_->add_option("-o,--output", file_, "The profile, for leat explain and leat report")
      ->type_name("FILE")
      ->capture_default_str();
  command_->add_flag("--one", one_,
                     "Run the program again with one worker, to tell whether tasks take longer with many");
  command_->add_flag("--json", json_, "Report one JSON object on standard output, after what the program prints");
  command_->footer("leat profile [OPTIONS] [--] PROGRAM [ARGUMENTS...]: options stand before the program.");
}

std::string profile_command::file_of_one() const {
  std::filesystem::path path(file_);
  const std::string extension = path.extension().string();
  return path.replace_extension("").string() + ".one" + extension;
}

int profile_command::run() const {
  const std::vector<std::string> words = command_->remaining();
  if (words.empty()) refuse("PROGRAM", "''", "must be a program to run");
  if (words.front().starts_with('-')) throw std::invalid_argument(words.front() + ": no such option here");
  expect_profile_name(file_);
  if (one_) expect_profile_name(file_of_one());
  const profiled_end end = run_for_profile(words, file_, false);
  if (!end.has_profile) return end.status;
  const profile of = read_profile(read_whole(file_), file_);
  explanation_beside beside;
  std::optional<profile> one;
  if (one_ && end.status == 0) {
    one = profile_of_one(words, file_of_one());
    beside.one = one ? &*one : nullptr;
    const auto threads = static_cast<unsigned>(threads_of(of));
    if (one && threads > 1) beside.capacity = measured_capacity(threads);
  }
  const explanation found = explained(of, beside);  // may throw before anything is printed
  std::cout << (json_ ? "" : "\n") << explanation_as(json_, found, of);
  return end.status;
}

}  // namespace leat::cli
