// Options that take a value: numbers and words.

#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace leat::cli {

/// Adds an option that takes a whole number in decimal digits, and nothing else: no other base, no silent saturation.
/// Parsing throws std::invalid_argument, naming the option and the value, for anything else. `value` must outlive the
/// parsing; what it holds now is shown as the default.
CLI::Option* add_number(CLI::App& command, const std::string& option, std::int64_t& value,
                        const std::string& description);

/// The same without a default.
CLI::Option* add_number(CLI::App& command, const std::string& option, std::optional<std::int64_t>& value,
                        const std::string& description);

/// The same for a number that a double can hold.
CLI::Option* add_number(CLI::App& command, const std::string& option, double& value, const std::string& description);

/// Adds an option that takes one of several words. Parsing throws std::invalid_argument, naming the option, the value and
/// the words, for any other. name(word) gives the text of a word.
template <class Word>
CLI::Option* add_word(CLI::App& command, const std::string& option, Word& value, std::span<const Word> words,
                      const std::string& description);

/// Throws std::invalid_argument: "OPTION = VALUE: why". Text that is no number is quoted by the caller.
[[noreturn]] void refuse(std::string_view option, std::string_view value, std::string_view why);

// ---------------------------------------------------------------------------------------------------------------------

template <class Word>
CLI::Option* add_word(CLI::App& command, const std::string& option, Word& value, std::span<const Word> words,
                      const std::string& description) {
  std::string known;
  for (const Word word : words) known += (known.empty() ? "" : ", ") + std::string(name(word));
  const auto take = [option, &value, words, known](const std::string& text) {
    for (const Word word : words) {
      if (text == name(word)) {
        value = word;
        return;
      }
    }
    refuse(option, "'" + text + "'", "must be one of " + known);
  };
  return command.add_option_function<std::string>(option, take, description + ": " + known)
      ->type_name("WORD")
      ->default_str(std::string(name(value)));
}

}  // namespace leat::cli
