#include "option_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>

namespace leat::cli {

namespace {

// CLI11's own conversions accept other bases, and saturate; so the text is taken as it is and read here.
template <class Number>
Number read(const std::string& option, const std::string& text, const char* kind) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) refuse(option, text, "out of range");
  if (error != std::errc{} || stop != end) refuse(option, fmt::format("'{}'", text), fmt::format("must be a {}", kind));
  return value;
}

}  // namespace

void refuse(std::string_view option, std::string_view value, std::string_view why) {
  throw std::invalid_argument(fmt::format("{} = {}: {}", option, value, why));
}

CLI::Option* add_number(CLI::App& command, const std::string& option, std::int64_t& value,
                        const std::string& description) {
  const auto take = [option, &value](const std::string& text) {
    value = read<std::int64_t>(option, text, "whole number");
  };
  return command.add_option_function<std::string>(option, take, description)
      ->type_name("N")
      ->default_str(std::to_string(value));
}

CLI::Option* add_number(CLI::App& command, const std::string& option, std::optional<std::int64_t>& value,
                        const std::string& description) {
  const auto take = [option, &value](const std::string& text) {
    value = read<std::int64_t>(option, text, "whole number");
  };
  return command.add_option_function<std::string>(option, take, description)->type_name("N");
}

CLI::Option* add_number(CLI::App& command, const std::string& option, double& value, const std::string& description) {
  const auto take = [option, &value](const std::string& text) { value = read<double>(option, text, "number"); };
  return command.add_option_function<std::string>(option, take, description)
      ->type_name("X")
      ->default_str(fmt::format("{}", value));
}

}  // namespace leat::cli
