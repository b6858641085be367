// What the workers of a runtime did in one run.

#pragma once

#include <leat/counters.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::cli {

/// The events of all workers together, and of each.
struct run_counters {
  leat::counters all;                   ///< those of spares as well
  std::vector<leat::counters> workers;  ///< by number, without spares

  std::uint64_t operator[](event e) const { return all[e]; }

  /// What happened between two readings of one runtime.
  friend run_counters operator-(run_counters late, const run_counters& early) {
    late.all = late.all - early.all;
    for (std::size_t w = 0; w < late.workers.size(); ++w) late.workers[w] = late.workers[w] - early.workers[w];
    return late;
  }
};

/// All events of a runtime since its start, on whatever platform. Exact between runs.
template <class Runtime>
[[nodiscard]] run_counters read_counters(const Runtime& rt) {
  run_counters read{rt.counters(), {}};
  for (std::uint32_t w = 0; w < rt.workers(); ++w) read.workers.push_back(rt.counters(w));
  return read;
}

/// The name of an event, as people and JSON read it.
[[nodiscard]] constexpr std::string_view name(event e) { return event_names[static_cast<std::size_t>(e)]; }

/// All events by name.
[[nodiscard]] nlohmann::ordered_json to_json(const leat::counters&);

/// An array of these, one for each worker.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<leat::counters>&);

}  // namespace leat::cli
