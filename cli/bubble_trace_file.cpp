#include "bubble_trace_file.hpp"

#include "whole_file.hpp"

#include <nlohmann/json.hpp>

namespace leat::cli {

void write_trace(const bubble_trace& trace, const std::string& title, const std::string& file) {
  using nlohmann::ordered_json;
  ordered_json places = ordered_json::array(), events = ordered_json::array();
  for (const auto& p : trace.places()) places.push_back({p.kind.data(), p.parent, p.index, p.first_unit, p.units});
  for (const auto& e : trace.events()) {
    const ordered_json other = e.other == bubbles::trace_event::nobody ? ordered_json() : ordered_json(e.other);
    events.push_back({e.ns - trace.events().front().ns, bubbles::incident_names[static_cast<std::size_t>(e.what)],
                      e.bubble, other, e.at, e.threads});
  }
  const ordered_json all{
      {"bubble_trace", title}, {"left_out", trace.left_out()}, {"places", places}, {"events", events}};
  write_whole(file, all.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n');
}

}  // namespace leat::cli
