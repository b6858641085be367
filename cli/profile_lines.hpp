// The lines of a profile's file, and their words: each refusal names the place.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace leat::cli {

/// Gives the lines of a text one after the other, and the words of each.
///
/// All functions that take a word throw std::invalid_argument, naming file, line and text, where it is not as they say.
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
  std::string_view left_;  // of the text
  std::string_view line_;  // what is left of it
  std::string file_;
  std::size_t number_ = 0;
};

}  // namespace leat::cli
