// Machines from descriptions such as "numa:4 core:4 pu:1".
#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::topology {

namespace {

// hwloc's words, and what they are called here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kinds = {{
    {"group", "group"},
    {"package", "package"},
    {"socket", "package"},
    {"die", "die"},
    {"numa", "numa"},
    {"numanode", "numa"},
    {"node", "numa"},
    {"l5", "l5"},
    {"l5cache", "l5"},
    {"l4", "l4"},
    {"l4cache", "l4"},
    {"l3", "l3"},
    {"l3cache", "l3"},
    {"l2", "l2"},
    {"l2cache", "l2"},
    {"l1", "l1"},
    {"core", "core"},
    {"pu", "pu"},
}};

constexpr std::string_view blanks = " \t";

// Each message has the whole description and the word in it: descriptions come from a command line or a variable, far
// from here.
[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw std::invalid_argument("leat: machine '" + std::string(text) + "': " + why);
}

// leat's word for one of hwloc's, or empty. Letters are made small by hand, as tolower follows the locale of the
// program.
std::string_view kind_of(std::string word) {
  std::ranges::transform(word, word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  // A search of 18 words for each level: a map would cost more to make.
  const auto* const found = std::ranges::find(kinds, word, [](const auto& k) { return k.first; });
  return found == kinds.end() ? std::string_view() : found->second;
}

// One word, "core:4".
machine::level level_of(std::string_view word, std::string_view text) {
  const std::string quoted = "'" + std::string(word) + "'";
  // Without a colon the number is empty, and refused below like any other that is none.
  const std::size_t colon = std::min(word.find(':'), word.size());
  const std::string_view kind = kind_of(std::string(word.substr(0, colon)));
  if (kind.empty()) {
    refuse(text, quoted + " begins with none of group, package, die, numa, l5, l4, l3, l2, l1, core, pu");
  }
  const std::string_view number = word.substr(std::min(colon + 1, word.size()));
  std::uint32_t children = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), children);
  // from_chars takes no blank, sign or prefix, and the number must end where the word ends: "4x" and "+4" are
  // refused. So are attributes in parentheses, which hwloc takes.
  if (error != std::errc{} || end != number.data() + number.size() || children == 0 || children > units_max) {
    refuse(text, quoted + " must be a word, a colon and a number between 1 and " + std::to_string(units_max));
  }
  return {std::string(kind), children};
}

}  // namespace

// Checked word by word, so that a message can name the word that is wrong. `regular` checks the same numbers again,
// for those that call it with levels of their own.
machine machine::synthetic(std::string_view text) {
  std::vector<level> levels;
  std::uint64_t units = 1;
  for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = text.find_first_not_of(blanks, end);
    const std::string quoted = "'" + std::string(word) + "'";
    level next = level_of(word, text);
    // Groups nest in each other; everything else is one level, by which depth_of finds it.
    const auto same = [&](const level& l) { return l.kind == next.kind && l.kind != "group"; };
    if (std::ranges::any_of(levels, same)) refuse(text, quoted + ": there is such a level already");
    if (!levels.empty() && levels.back().kind == "pu") refuse(text, quoted + " comes after pu, which must be the last");
    if (levels.size() == levels_max) refuse(text, quoted + " is a level more than " + std::to_string(levels_max));
    // Below 2^16 before, and times 2^16 at most (level_of).
    units *= next.children;
    if (units > units_max) refuse(text, quoted + " makes more than " + std::to_string(units_max) + " units");
    levels.push_back(std::move(next));
  }
  // Only the whole description shows these two.
  if (levels.empty()) refuse(text, "has no levels");
  if (levels.back().kind != "pu") refuse(text, "must end with pu, as in 'core:4 pu:1'");
  return regular(levels);
}

}  // namespace leat::inline LEAT_ABI::topology
