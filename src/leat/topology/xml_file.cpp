#include "leat/topology/xml_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

namespace leat::inline LEAT_ABI::topology {

namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

// More bits than this no set has: as many CPUs as affinity_from looks at.
constexpr std::uint32_t index_max = 1u << 20;

// Objects that lie beside the tree, and have no sets.
constexpr std::array<std::string_view, 4> beside = {"Misc", "Bridge", "PCIDev", "OSDev"};

// Views of the text: nothing of it is copied but for a message.
struct attribute {
  std::string_view name;
  std::string_view value;
};

// Takes the next attribute off the front of a tag, if there is one.
// It ends where a tag ends, at ">" or "/>", as these begin no name. A value may have any of these inside its quotes.
// It takes a prefix of the tag away each time, so an object's attributes cost what their text is long.
std::optional<attribute> take_attribute(std::string_view& tag) {
  tag.remove_prefix(std::min(tag.find_first_not_of(blanks), tag.size()));
  const std::size_t end = std::min(tag.find_first_not_of(name_letters), tag.size());
  if (end == 0 || tag.size() < end + 2 || tag[end] != '=') return std::nullopt;
  const char quote = tag[end + 1];
  if (quote != '"' && quote != '\'') return std::nullopt;
  const std::size_t close = tag.find(quote, end + 2);
  if (close == std::string_view::npos) return std::nullopt;
  const attribute a{tag.substr(0, end), tag.substr(end + 2, close - end - 2)};
  tag.remove_prefix(close + 1);
  return a;
}

// What an object of the tree says of itself.
struct object {
  std::string_view type;
  bool cpus = false, complete_cpus = false;
  bool nodes = false, complete_nodes = false;
  std::optional<std::string_view> index;
  bool index_is_good = true;
};

// hwloc makes sets with a bit for each number up to the largest, and each object has several.
bool is_index(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number < index_max;
}

// A number that is given twice must be good both times, whichever of the two hwloc takes.
object object_in(std::string_view tag) {
  object o;
  while (const auto a = take_attribute(tag)) {
    if (a->name == "type") o.type = a->value;
    else if (a->name == "cpuset") o.cpus = true;
    else if (a->name == "complete_cpuset") o.complete_cpus = true;
    else if (a->name == "nodeset") o.nodes = true;
    else if (a->name == "complete_nodeset") o.complete_nodes = true;
    else if (a->name == "os_index") {
      o.index = a->value;
      o.index_is_good = o.index_is_good && is_index(a->value);
    }
  }
  return o;
}

// The first fault, or empty. Objects that are neither units nor nodes need no number.
std::string fault_in(const object& o) {
  if (std::ranges::find(beside, o.type) != beside.end()) return "";
  const std::string what = "an object of the type '" + std::string(o.type) + "' ";
  if (o.cpus != o.complete_cpus) return what + "has one of cpuset and complete_cpuset without the other";
  if (o.nodes != o.complete_nodes) return what + "has one of nodeset and complete_nodeset without the other";
  const bool is_numbered = o.type == "PU" || o.type == "NUMANode";
  if (is_numbered && (!o.index || !o.index_is_good)) {
    return what + "has no os_index below " + std::to_string(index_max) + ": '" + std::string(o.index.value_or("")) +
           "'";
  }
  return "";
}

}  // namespace

// No parser of XML: it looks for the beginnings of objects, also inside comments and text. So it may refuse what
// hwloc would take. What is no XML at all has no objects, and is left to hwloc.
std::string fault_in_xml(std::string_view text) {
  constexpr std::string_view topology = "<topology", version_1 = "version=\"1", begin = "<object";
  const std::size_t head = std::min(text.find(topology), text.size());
  const std::string_view head_tag = text.substr(head, std::min(text.find('>', head), text.size()) - head);
  // Files of version 1 are put right by hwloc.
  if (head_tag.find("version=") == std::string_view::npos || head_tag.find(version_1) != std::string_view::npos)
    return "";
  for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at + 1)) {
    const std::string_view tag = text.substr(at + begin.size());
    if (std::string fault = fault_in(object_in(tag)); !fault.empty()) return fault;
  }
  return "";
}

// A file that cannot be read is as one without text: no fault is seen, and hwloc says what is wrong with it.
std::string fault_in_xml_file(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return "";  // a pipe can be read once
  // The file is read twice, here and by hwloc. Where another program replaces it in between, hwloc reads what was not
  // judged.
  std::ifstream file(path, std::ios::binary);
  return fault_in_xml(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace leat::inline LEAT_ABI::topology
