// A command of leat, put together from words that several sides add.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leat::cli {

/// What stands after `leat` on a command line: a command, a kernel, options. An option that is added takes the place of one of
/// the same name.
class command_words {
 public:
  command_words() = default;
  explicit command_words(std::string_view text) { add(text); }

  /// Adds words that blanks separate. A word that begins with `-` and a letter, or with `--`, is an option. Words between it
  /// and the next option are its values. Words before the first option come after those that stand there already.
  void add(std::string_view text);

  /// The command, such as `sim`; empty if there is none.
  [[nodiscard]] std::string command() const { return leading(0); }
  /// What the command runs, such as `spc`; empty if nothing.
  [[nodiscard]] std::string kernel() const { return leading(1); }

  /// The values of an option; empty if it is not there.
  [[nodiscard]] std::vector<std::string> values_of(std::string_view option) const;

  [[nodiscard]] std::vector<std::string> words() const;
  /// All words, a blank between each two.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::string leading(std::size_t i) const { return i < leading_.size() ? leading_[i] : std::string(); }

  std::vector<std::string> leading_;
  std::vector<std::pair<std::string, std::vector<std::string>>> options_;
};

}  // namespace leat::cli
