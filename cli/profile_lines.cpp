#include "profile_lines.hpp"

#include "printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace leat::cli {

namespace {

// A part that a message can show.
std::string excerpt(std::string_view text) {
  constexpr std::size_t shown_max = 60;
  return text.size() <= shown_max ? printable(text) : printable(text.substr(0, shown_max)) + "...";
}

}  // namespace

void profile_lines::refuse(std::string_view text, const std::string& why) const {
  throw std::invalid_argument(
      fmt::format("{}: line {}: '{}': {}", file_, std::max<std::size_t>(number_, 1), excerpt(text), why));
}

bool profile_lines::next() {
  if (left_.empty()) return false;
  const std::size_t end = left_.find('\n');
  line_ = left_.substr(0, end);
  left_.remove_prefix(end == std::string_view::npos ? left_.size() : end + 1);
  ++number_;
  return true;
}

std::string_view profile_lines::rest() {
  line_.remove_prefix(std::min(line_.find_first_not_of(' '), line_.size()));
  return line_;
}

std::string_view profile_lines::word(const char* what) {
  const std::string_view all = rest();
  const std::string_view word = all.substr(0, all.find(' '));
  if (word.empty()) refuse(word, fmt::format("{} is missing", what));
  line_.remove_prefix(word.size());
  return word;
}

std::uint64_t profile_lines::number(const char* what) { return number(what, most); }

std::uint64_t profile_lines::number(const char* what, std::uint64_t most_here) {
  const std::string_view text = word(what);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most_here)
    refuse(text, fmt::format("{} must be a whole number from 0 to {}", what, most_here));
  return value;
}

double profile_lines::fraction(const char* what) {
  const std::string_view text = word(what);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > static_cast<double>(most))
    refuse(text, fmt::format("{} must be a number above 0", what));
  return value;
}

void profile_lines::expect_end() {
  if (!rest().empty()) refuse(rest(), "nothing may follow here");
}

}  // namespace leat::cli
