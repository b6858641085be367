#include "prell_flags.hpp"

#include "option_values.hpp"

#include <leat/protocol/prell.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace leat::cli {

namespace {

constexpr std::array<std::string_view, 2> switches{"on", "off"};

void add_name(CLI::App& command, const std::string& flag, std::string& value, std::span<const std::string_view> names,
              const std::string& description) {
  const auto take = [flag, &value, names](const std::string& text) {
    if (std::ranges::find(names, text) == names.end())
      refuse(flag, "'" + text + "'", fmt::format("must be one of {}", fmt::join(names, ", ")));
    value = text;
  };
  command.add_option_function<std::string>(flag, take, fmt::format("{}: {}", description, fmt::join(names, ", ")))
      ->type_name("WORD")
      ->default_str(value);
}

std::uint64_t checked(const std::string& flag, std::int64_t value, std::uint64_t most) {
  if (value < 1 || static_cast<std::uint64_t>(value) > most)
    refuse(flag, std::to_string(value), fmt::format("must be between 1 and {}", most));
  return static_cast<std::uint64_t>(value);
}

}  // namespace

void prell_flags::add_to(CLI::App& command) {
  add_number(command, "--adaptive-steals", adaptive_steals_, "Steals after which an adaptive thief decides again");
  add_name(command, "--last-victim", last_victim_, switches,
           "Whether the victim of the last steal is asked first (channel, prell)");
  add_name(command, "--tries", prell_.tries, protocol::tries_names,
           "prell: whether a request may try a victim twice in a round");
  add_name(command, "--refusal", prell_.refusal, protocol::refusal_names, "prell: what a victim without tasks does");
  add_name(command, "--polling", prell_.polling, protocol::polling_names, "prell: when requests are handled");
  add_name(command, "--termination", prell_.termination, protocol::termination_names,
           "prell: how the end of all tasks is found");
  add_name(command, "--barrier", prell_.barrier, protocol::barrier_end_names,
           "prell: which request is revoked at the end of a barrier");
  command.add_flag("--ahead", prell_.ahead, "prell: a worker asks when it begins its last task");
  add_number(command, "--samples", samples_,
             "prell: victims that a request sees before it goes to the one with the most tasks");
  command
      .add_option("--places", prell_.places,
                  "prell: each domain of this kind, such as package or numa, has a manager for its workers; all kinds "
                  "but machine need --bind")
      ->type_name("KIND")
      ->capture_default_str();
}

void prell_flags::set(leat::options& options) const {
  options.prell = prell_;
  if (prell_.places != prell_options().places && !options.bind)
    refuse("--places", "'" + prell_.places + "'", "takes --bind");
  options.prell.samples = checked("--samples", samples_, workers_max);
  options.adaptive_steals = checked("--adaptive-steals", adaptive_steals_, adaptive_steals_max);
  if (!last_victim_.empty()) options.last_victim = last_victim_ == "on";
}

nlohmann::ordered_json choices_json(const leat::options& options) {
  const leat::options o = options.resolved();
  nlohmann::ordered_json json{
      {"strategy", o.strategy}, {"adaptive_steals", o.adaptive_steals}, {"last_victim", o.last_victim.value_or(false)}};
  if (o.scheduler == "prell") {
    const prell_options& p = o.prell;
    json.update({{"tries", p.tries},
                 {"refusal", p.refusal},
                 {"polling", p.polling},
                 {"termination", p.termination},
                 {"barrier", p.barrier},
                 {"ahead", p.ahead},
                 {"samples", p.samples},
                 {"places", p.places}});
  }
  return json;
}

}  // namespace leat::cli
