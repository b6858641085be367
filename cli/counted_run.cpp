#include "counted_run.hpp"

#include "measurement.hpp"

#include <fmt/format.h>

namespace leat::cli {

using nlohmann::ordered_json;

std::optional<double> counted_run::per_unit(event e) const {
  if (units == 0) return std::nullopt;
  return static_cast<double>(counters[e]) / static_cast<double>(units);
}

void add_counted(CLI::App& command, bool& counted) {
  command.add_flag("--counted", counted,
                   "Also count fences, compare-and-exchanges and other read-modify-writes, in one more run");
}

std::string to_text(const counted_run& counted, std::string_view unit) {
  if (counted.units == 0) return {};
  const auto each = [&](event e) { return counted.per_unit(e).value_or(0); };
  return fmt::format(
      "counted   {:.3g} fences, {:.3g} compare-and-exchanges, {:.3g} other read-modify-writes a {}, in {} {}s\n",
      each(event::fences), each(event::cas), each(event::rmw), unit, counted.units, unit);
}

ordered_json to_json(const std::optional<counted_run>& counted) {
  if (!counted) return {};
  ordered_json json = {{"size", counted->size}, {"units", counted->units}};
  for (const event e : counted_events) json[std::string(name(e))] = counted->counters[e];
  for (const event e : counted_events) json[fmt::format("{}_per_unit", name(e))] = or_null(counted->per_unit(e));
  for (const event e : moved_events) json[std::string(name(e))] = counted->counters[e];
  json["worker_counters"] = to_json(counted->counters.workers);
  return json;
}

}  // namespace leat::cli
