// JSON as text: read from files that anybody may have written, and written for programs to read.

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace leat::cli {

/// Objects and lists inside each other that are read, at most: what goes through them does so by recursion.
inline constexpr int json_depth_max = 64;

/// Throws std::invalid_argument where it is no JSON, or nested deeper than json_depth_max.
[[nodiscard]] nlohmann::ordered_json parsed(std::string_view text);

/// Indented. Names of files and what rivals say may be no UTF-8: what is not stands as U+FFFD.
[[nodiscard]] std::string as_text(const nlohmann::ordered_json& json);

/// What a script of a page has as its data: nothing in it looks like the script's end. Texts as in as_text.
[[nodiscard]] std::string script_text(const nlohmann::ordered_json& json);

/// Parameters, for people: "n 38, form context".
[[nodiscard]] std::string in_words(const nlohmann::ordered_json& parameters);

}  // namespace leat::cli
