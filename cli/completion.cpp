#include "completion.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace leat::cli {

namespace {

// A command, then those above it whose options and commands may follow, too.
std::vector<const CLI::App*> scopes_of(const CLI::App& command) {
  std::vector<const CLI::App*> scopes = {&command};
  while (scopes.back()->get_fallthrough() && scopes.back()->get_parent() != nullptr)
    scopes.push_back(scopes.back()->get_parent());
  return scopes;
}

// The commands of `command` that --help lists.
std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); });
}

// The option, or the command, of this name; null where there is none.
const CLI::Option* option_of(const CLI::App& command, const std::string& name) {
  for (const CLI::App* const scope : scopes_of(command)) {
    if (const CLI::Option* const option = scope->get_option_no_throw(name)) return option;
  }
  return nullptr;
}

const CLI::App* command_of(const CLI::App& command, const std::string& name) {
  for (const CLI::App* const scope : scopes_of(command)) {
    for (const CLI::App* const next : commands_of(*scope)) {
      if (next->get_name() == name) return next;
    }
  }
  return nullptr;
}

// The words that an option takes: its description ends with ": one, another; and what is left".
std::vector<std::string> words_of(const CLI::Option& option) {
  if (!option.get_type_name().starts_with("WORD")) return {};
  const std::string& text = option.get_description();
  std::vector<std::string> words;
  std::size_t at = text.rfind(": ");
  while (at != std::string::npos) {
    at += 2;  // ": " and ", " alike
    const std::size_t end = text.find_first_of(",;", at);
    words.push_back(text.substr(at, end - at));
    at = end == std::string::npos || text[end] == ';' ? std::string::npos : end;
  }
  return words;
}

bool takes_positionals(const CLI::App& command) {
  return !command.get_options([](const CLI::Option* o) { return o->get_positional(); }).empty();
}

// Where to look for what may follow the finished words: the command that they name, and their last option, where that
// wants a value. None where a word names nothing.
struct place {
  const CLI::App* command;
  const CLI::Option* wanting = nullptr;
};

std::optional<place> place_after(const CLI::App& program, std::span<const std::string_view> given) {
  place at = {&program};
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string word(given[i]);
    if (word.starts_with('-')) {
      const std::size_t equals = word.find('=');
      const CLI::Option* const option = option_of(*at.command, word.substr(0, equals));
      if (option == nullptr) return std::nullopt;
      if (option->get_items_expected_min() == 0 || equals != std::string::npos) continue;
      if (++i < given.size() && given[i] == "=") ++i;  // a word of its own for bash
      if (i == given.size()) at.wanting = option;      // else this is its value
    } else if (const CLI::App* const next = command_of(*at.command, word)) {
      at.command = next;
    } else if (!takes_positionals(*at.command)) {
      return std::nullopt;
    }
  }
  return at;
}

}  // namespace

std::vector<std::string> words_after(const CLI::App& program, std::span<const std::string_view> given) {
  const std::optional<place> at = place_after(program, given);
  if (!at) return {};
  if (at->wanting != nullptr) return words_of(*at->wanting);
  std::vector<std::string> words;
  for (const CLI::App* const scope : scopes_of(*at->command)) {
    for (const CLI::App* const next : commands_of(*scope)) words.push_back(next->get_name());
    for (const CLI::Option* const option : scope->get_options()) {
      if (option->nonpositional()) words.push_back(option->get_name());
    }
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

}  // namespace leat::cli
