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

// A program creates the file when it begins, and writes it when it ends.
bool has_profile(const std::string& file) {
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(file, unknown);
  return !unknown && bytes != 0;
}

void remove_profile(const std::string& file) {
  std::error_code unknown;
  if (std::filesystem::is_regular_file(file, unknown)) std::filesystem::remove(file, unknown);
}

// Runs the program. Removes an older profile first, so that it is not taken for the program's.
int run_for_profile(const std::vector<std::string>& words, const std::string& file, bool one_worker) {
  remove_profile(file);
  const int status = run_profiled(words, file, one_worker);
  if (has_profile(file)) return status;
  remove_profile(file);
  if (status == 0) {
    throw std::runtime_error(
        fmt::format("{} wrote no profile: it made no runtime, is not linked to this version of leat, or "
                    "ended by _exit or exec",
                    words.front()));
  }
  constexpr int of_a_signal = 128;
  const std::string how = status > of_a_signal ? fmt::format("was ended by signal {} ({})", status - of_a_signal,
                                                             strsignal(status - of_a_signal))
                                               : fmt::format("ended with {}", status);
  std::cerr << fmt::format("leat: {} {}, and wrote no profile\n", words.front(), how);
  return status;
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
  const int status = run_for_profile(words, file_, false);
  if (!has_profile(file_)) return status;
  const profile of = read_profile(read_whole(file_), file_);
  explanation_beside beside;
  std::optional<profile> one;
  if (one_ && status == 0) {
    const std::string file = file_of_one();
    if (run_for_profile(words, file, true) == 0) beside.one = &one.emplace(read_profile(read_whole(file), file));
    const auto threads = static_cast<unsigned>(threads_of(of));
    if (threads > 1) beside.capacity = measured_capacity(threads);
  }
  const explanation found = explained(of, beside);  // may throw before anything is printed
  std::cout << (json_ ? "" : "\n") << explanation_as(json_, found, of);
  return status;
}

}  // namespace leat::cli
