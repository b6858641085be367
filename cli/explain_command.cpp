#include "explain_command.hpp"

#include "explanation.hpp"
#include "option_values.hpp"
#include "profile_file.hpp"
#include "whole_file.hpp"

#include <fmt/format.h>

#include <iostream>
#include <string_view>

namespace leat::cli {

namespace {

// Of a command line: the program's file, without its folder.
std::string_view name_of(std::string_view program) {
  const std::string_view file = program.substr(0, program.find(' '));
  return file.substr(file.rfind('/') + 1);
}

}  // namespace

explain_command::explain_command(CLI::App& program)
    : command_(program.add_subcommand("explain", "Say from a profile why a program does not scale, and what to do")) {
  command_->add_option("FILE", file_, "The profile: what a program writes to the file that LEAT_PROFILE names")
      ->required();
  command_
      ->add_option("--one", one_,
                   "A profile of the same program with one worker, to tell whether tasks take longer with many")
      ->type_name("FILE");
  add_number(*command_, "--capacity", capacity_,
             "How many times the work of one thread as many threads do here as there are workers; 0: as many times")
      ->needs("--one");
  command_->add_flag("--json", json_, "Report one JSON object on standard output");
}

int explain_command::run() const {
  if (!(capacity_ >= 0)) refuse("--capacity", fmt::format("{}", capacity_), "must be 0 or more");
  const profile of = read_profile(read_whole(file_), file_);
  if (const std::uint64_t workers = most_workers(of); capacity_ > 2 * static_cast<double>(workers))
    refuse("--capacity", fmt::format("{}", capacity_),
           fmt::format("must be at most twice the number of workers, {}", workers));
  explanation_beside beside;
  std::optional<profile> one;
  if (command_->count("--one") != 0) {
    beside.one = &one.emplace(read_profile(read_whole(one_), one_));
    if (name_of(one->program) != name_of(of.program))
      refuse("--one", "'" + one_ + "'", fmt::format("is of '{}', and {} is of '{}'", one->program, file_, of.program));
    if (most_workers(*one) > 1)
      refuse("--one", "'" + one_ + "'", fmt::format("has {} workers, and must have one", most_workers(*one)));
  }
  if (capacity_ > 0) beside.capacity = capacity_;
  std::cout << explanation_as(json_, explained(of, beside), of);
  return 0;
}

}  // namespace leat::cli
