#include "run_counters.hpp"

#include <string>

namespace leat::cli {

using nlohmann::ordered_json;

ordered_json to_json(const leat::counters& counters) {
  ordered_json json = ordered_json::object();
  counters.for_each([&](std::string_view name, std::uint64_t value) { json[std::string(name)] = value; });
  return json;
}

ordered_json to_json(const std::vector<leat::counters>& workers) {
  ordered_json json = ordered_json::array();
  for (const leat::counters& of_it : workers) json.push_back(to_json(of_it));
  return json;
}

}  // namespace leat::cli
