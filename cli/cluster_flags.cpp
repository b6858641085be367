#include "cluster_flags.hpp"

#include "kernels/range.hpp"
#include "option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace leat::cli {

namespace {

void expect_one_of(const char* option, std::span<const std::string_view> names, const std::string& word) {
  if (std::ranges::find(names, word) != names.end()) return;
  refuse(option, "'" + word + "'", fmt::format("must be one of {}", fmt::join(names, ", ")));
}

}  // namespace

void cluster_flags::add_to(CLI::App& command) {
  const auto engines = fmt::format("{}", fmt::join(engine_names(), ", "));
  command.add_option("--engine", options_.engine, "How work moves between ranks: " + engines)->type_name("WORD");
  add_number(command, "--poll-us", poll_us_, "Microseconds between two polls of a busy rank");
  add_number(command, "--attempts", attempts_,
             "Engine messages: ranks that a steal request asks before it goes to the idle pool");
  command.add_flag("--no-prefetch", no_prefetch_, "Engine rma: ask only when there is no work left");
  command
      .add_option("--prefetch-victim", options_.prefetch_victim,
                  "Engine rma: the rank that is asked ahead, any other rank or the next one: random, ring")
      ->type_name("WORD");
  command
      .add_option(
          "--victims", options_.victims,
          "Order in which ranks are asked, those of the same node first; last begins the ring with the rank that "
          "gave last, ring with the next one: last, ring, random; else last, and random for two-sided")
      ->type_name("WORD");
  add_number(command, "--ranks-per-node", ranks_per_node_,
             "Ranks in a row that count as one node; 0: as the transport says");
  add_number(command, "--chunk", chunk_, "Tasks that a rank shares and gives at a time; 0: half of them");
  add_number(command, "--threshold", threshold_,
             "How many tasks a rank has when it shares some; 0: twice the chunk, or 2");
}

cluster_options cluster_flags::chosen(std::int64_t workers) const {
  kernels::check_range("--poll-us", poll_us_, 0, static_cast<std::int64_t>(poll_us_max));
  kernels::check_range("--attempts", attempts_, 0, ranks_max);
  kernels::check_range("--chunk", chunk_, 0, static_cast<std::int64_t>(chunk_max));
  if (threshold_ != 0)
    kernels::check_range("--threshold", threshold_, std::max<std::int64_t>(chunk_, 1) + 1,
                         static_cast<std::int64_t>(chunk_max));
  kernels::check_range("--ranks-per-node", ranks_per_node_, 0, ranks_max);
  expect_one_of("--engine", engine_names(), options_.engine);
  expect_one_of("--prefetch-victim", prefetch_victim_names(), options_.prefetch_victim);
  if (!options_.victims.empty()) expect_one_of("--victims", victim_names(), options_.victims);
  cluster_options all = options_;
  all.workers = static_cast<std::uint32_t>(workers);
  all.poll_us = static_cast<std::uint64_t>(poll_us_);
  all.attempts = static_cast<std::uint64_t>(attempts_);
  all.prefetch = !no_prefetch_;
  all.chunk = static_cast<std::uint64_t>(chunk_);
  all.ranks_per_node = static_cast<std::uint64_t>(ranks_per_node_);
  all.threshold = static_cast<std::uint64_t>(threshold_);
  return all;
}

}  // namespace leat::cli
