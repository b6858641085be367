// A run on the counted platform, beside the timed ones.

#pragma once

#include "memory.hpp"
#include "run_counters.hpp"

#include "kernels/counted_runtime.hpp"

#include <leat/counters.hpp>
#include <leat/options.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::cli {

/// What the counted platform alone counts, and every report tells.
inline constexpr std::array counted_events = {event::fences, event::cas, event::rmw};

/// What tells, beside these, how work came to thieves: their steals, what was made public for them, and what of that came back.
inline constexpr std::array moved_events = {event::steals, event::exposed, event::unstolen};

/// What one run on the counted platform asked of the memory system.
struct counted_run {
  nlohmann::ordered_json size;  ///< the parameters of that run
  std::uint64_t units = 0;  ///< tasks, nodes or iterations that it had
  run_counters counters;

  /// How many of this event there were for each unit; none where there is no unit.
  [[nodiscard]] std::optional<double> per_unit(event) const;
};

/// Adds the flag --counted, which asks for such a run; the flag must outlive the parsing.
void add_counted(CLI::App& command, bool& counted);

/// What people read on a terminal, one line; nothing where there was no unit. `unit`: "task", "node" or "iteration".
[[nodiscard]] std::string to_text(const counted_run&, std::string_view unit);

/// The members size, units, fences, cas and rmw, each of these three per unit, steals, exposed and unstolen, and worker_counters:
/// all events of each worker. Null where nothing was counted.
[[nodiscard]] nlohmann::ordered_json to_json(const std::optional<counted_run>&);

/// Starts a runtime on the counted platform, calls run(runtime), and returns what this added to the runtime's counters.
/// Throws what these throw.
template <class Run>
[[nodiscard]] run_counters count(const leat::options& options, Run run) {
  auto rt = start<kernels::counted_runtime>(options);
  // An empty run first: it waits for the workers, and takes what they count when they start.
  rt.run([] {});
  const run_counters before = read_counters(rt);
  run(rt);
  return read_counters(rt) - before;
}

}  // namespace leat::cli
