#include "json_text.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace leat::cli {

using nlohmann::ordered_json;

ordered_json parsed(std::string_view text) {
  const auto shallow = [](int depth, ordered_json::parse_event_t, const ordered_json&) {
    if (depth <= json_depth_max) return true;
    throw std::invalid_argument(fmt::format("more than {} objects and lists inside each other", json_depth_max));
  };
  try {
    return ordered_json::parse(text, shallow);
  } catch (const ordered_json::exception& e) {
    throw std::invalid_argument(e.what());
  }
}

std::string as_text(const ordered_json& json) {
  constexpr int indent = 2;
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

std::string script_text(const ordered_json& json) {
  std::string text = json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

std::string in_words(const ordered_json& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

}  // namespace leat::cli
