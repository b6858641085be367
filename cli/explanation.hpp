// What a profile says about why a program does not scale.

#pragma once

#include "profile_file.hpp"
#include "profile_times.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

/// One cause of lost time.
struct profile_verdict {
  std::string key;    ///< a word that stays the same from version to version
  double cost = 0;    ///< the share of workers x time that is lost, 0 to 1
  std::string text;   ///< what is lost, with its figure
  std::string advice; ///< what to do
  std::string place;  ///< FILE:LINE; empty where none is known
};

/// A verdict of a lower cost is left out.
inline constexpr double verdict_cost_min = 0.05;

/// What a profile is compared with.
struct explanation_beside {
  const profile* one = nullptr;    ///< of the same program with one worker
  std::optional<double>
      capacity;  ///< with a thread for each worker, all together do so many times the work of one thread
};

struct explanation {
  std::string program;
  std::size_t workers = 0;
  double seconds = 0;
  std::vector<profile_verdict> verdicts;  ///< the most costly first
  std::optional<profile_verdict> next;    ///< the most costly one that is below the minimum
  std::array<double, cause_count> cause_share{};  ///< of workers x time
};

/// `beside.one` must be of one worker.
[[nodiscard]] explanation explained(const profile&, const explanation_beside&);

/// For people.
[[nodiscard]] std::string explanation_text(const explanation&);
[[nodiscard]] nlohmann::ordered_json explanation_json(const explanation&);
/// What a command prints: either of the two, and work and span if the profile has them.
[[nodiscard]] std::string explanation_as(bool json, const explanation&, const profile&);

}  // namespace leat::cli
