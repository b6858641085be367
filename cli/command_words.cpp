#include "command_words.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace leat::cli {

namespace {

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0);
}

}  // namespace

void command_words::add(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::vector<std::string>* values = &leading_;
  for (std::string word; words >> word;) {
    if (!is_option(word)) {
      values->push_back(word);
      continue;
    }
    auto known = std::ranges::find(options_, word, &decltype(options_)::value_type::first);
    if (known == options_.end()) known = options_.emplace(options_.end(), word, std::vector<std::string>());
    known->second.clear();
    values = &known->second;
  }
}

std::vector<std::string> command_words::values_of(std::string_view option) const {
  const auto known = std::ranges::find(options_, option, &decltype(options_)::value_type::first);
  return known == options_.end() ? std::vector<std::string>() : known->second;
}

std::vector<std::string> command_words::words() const {
  std::vector<std::string> all = leading_;
  for (const auto& [option, values] : options_) {
    all.push_back(option);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::string command_words::text() const {
  std::string all;
  for (const std::string& word : words()) all += (all.empty() ? "" : " ") + word;
  return all;
}

}  // namespace leat::cli
