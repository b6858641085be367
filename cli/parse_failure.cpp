#include "parse_failure.hpp"

#include <string_view>
#include <vector>

namespace leat::cli {

namespace {

// The command that was given, as far as it was understood.
const CLI::App& chosen(const CLI::App& program) {
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// With those that it belongs to: "leat bench fib".
std::string full_name(const CLI::App& command) {
  if (command.get_parent() == nullptr) return command.get_name();
  return full_name(*command.get_parent()) + " " + command.get_name();
}

// The option that was given more often than once, to this command or to one of its own; null if none was.
const CLI::Option* repeated(const CLI::App& command) {
  const auto is_repeated = [](const CLI::Option* o) { return o->get_items_expected_max() == 1 && o->count() > 1; };
  const auto options = command.get_options(is_repeated);
  if (!options.empty()) return options.front();
  for (const CLI::App* const own : command.get_subcommands()) {
    if (const CLI::Option* const option = repeated(*own)) return option;
  }
  return nullptr;
}

}  // namespace

void refuse_values_of_flags(CLI::App& program) { program.option_defaults()->disable_flag_override(); }

std::string reason(const CLI::App& program, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (const CLI::Option* const option = repeated(program)) {
      const std::vector<std::string> given = option->results();
      return option->get_name() + " = '" + given[1] + "': already given as '" + given[0] + "'";
    }
    const std::string_view text = error.what();  // begins with the flag's name; all are long
    if (text.ends_with("disallowed flag override"))
      return "--" + std::string(text.substr(0, text.find(' '))) + ": takes no value";
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  const std::vector<std::string> extras = program.remaining(true);
  if (extras.empty()) return error.what();
  return extras.front() + ": no such " + (extras.front().starts_with('-') ? "option" : "command") + " here";
}

std::string where_to_look(const CLI::App& program) {
  return "Run " + full_name(chosen(program)) + " --help for the options.";
}

}  // namespace leat::cli
