#include "numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace leat::cli {

namespace {

// A validator answers with what is wrong, or with nothing.
template <class Number>
std::string refusal(const std::string& text, const char* kind) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) return fmt::format("{} is out of range", text);
  if (error != std::errc{} || stop != end) return fmt::format("'{}' is not a {}", text, kind);
  return {};
}

}  // namespace

CLI::Validator whole_number() {
  const auto check = [](std::string& text) {
    std::string refused = refusal<std::int64_t>(text, "whole number");
    // CLI11 reads a leading 0 as octal; we do not.
    const std::size_t digits = text.starts_with('-') ? 1 : 0;
    while (refused.empty() && text.size() > digits + 1 && text[digits] == '0') text.erase(digits, 1);
    return refused;
  };
  return CLI::Validator(check, "");
}

CLI::Validator real_number() {
  return CLI::Validator([](std::string& text) { return refusal<double>(text, "number"); }, "");
}

}  // namespace leat::cli
