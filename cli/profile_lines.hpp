// Reads a profile's file line by line and word by word. Error messages name the place.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace leat::cli {

/// Gives the lines of a text one after the other, and the words of each.
///
/// Functions that take a word throw std::invalid_argument if it is not as they say. The message names file, line and text.
class profile_lines {
 public:
  profile_lines(std::string_view text, std::string file) : left_(text), file_(std::move(file)) {}

  /// Goes to the next line; false at the end of the text.
  bool next();

  /// The words of the line that are not taken yet, without blanks before them.
  [[nodiscard]] std::string_view rest();
  /// Takes the next word.
  std::string_view word(const char* what);
  /// Takes the next word, a number of at most 10^18.
  std::uint64_t number(const char* what);
  std::uint64_t number(const char* what, std::uint64_t most);
  /// Takes the next word, a number with a fraction.
  double fraction(const char* what);
  /// Refuses words that are left on the line.
  void expect_end();

  [[noreturn]] void refuse(std::string_view text, const std::string& why) const;

  static constexpr std::uint64_t most = 1'000'000'000'000'000'000;

 private:
  std::string_view left_;  // the rest of the text
  std::string_view line_;  // the rest of the line
  std::string file_;
  std::size_t number_ = 0;
};

}  // namespace leat::cli
