// Machine files: JSON objects whose members are those of `machine`, and may be left out.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/platform/simulation/machine.hpp"

namespace leat::inline LEAT_ABI::platform {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::invalid_argument("leat: machine file '" + path + "': " + why);
}

// What a number may be.
struct range {
  double least, most;
  const char* words;
};

// Costs are added up in 64 bits of picoseconds: with 1e9 ns for each step, a clock runs over after 18 million steps
// of one thread.
constexpr range time_range{0, 1e9, "a number of nanoseconds between 0 and 1e9"};
// Who spins must get on: where that took no time, those who work would never have their turn.
constexpr range pause_range{1, 1e9, "a number of nanoseconds between 1 and 1e9"};
constexpr range slowdown_range{1, 1000, "a number between 1 and 1000"};
constexpr range bandwidth_range{0.001, 1e6, "a number of bytes for each nanosecond between 0.001 and 1e6"};

// A machine file needs three. Messages quote what they refuse, by `dump`, which calls itself for what is inside.
constexpr int depth_max = 8;            // of the objects and lists of a file inside each other
constexpr std::size_t levels_max = 16;  // as topology::levels_max
// As topology::units_max: a world's machine is made into a tree (leat::this_machine).
constexpr std::uint64_t units_max = 1u << 16;
constexpr std::uint32_t children_max = 4096;

// Anything but a number counts as one out of range, so that there is one message.
double number_of(const json& value, const range& may_be, const std::string& path, const std::string& name) {
  const double number = value.is_number() ? value.get<double>() : may_be.least - 1;
  if (!(number >= may_be.least && number <= may_be.most)) {
    refuse(path, name + " = " + value.dump() + ": must be " + may_be.words);
  }
  return number;
}

std::string name_of(const json& value, const std::string& path, const std::string& name) {
  if (!value.is_string()) refuse(path, name + " = " + value.dump() + ": must be text");
  return value.get<std::string>();
}

// Every member is checked as it comes, and an unknown one is refused: a misspelt cost would otherwise keep its
// default, and the figures would be of another machine than the file says. All of them name the file.
machine::level level_of(const json& value, const std::string& path) {
  if (!value.is_object()) refuse(path, "levels: " + value.dump() + " is no object");
  machine::level l{"", 0, 0};
  for (const auto& [name, member] : value.items()) {
    if (name == "name") {
      l.name = name_of(member, path, "levels: name");
    } else if (name == "children") {
      // 0 - 1 is the largest number there is, so one comparison refuses both ends.
      const bool whole = member.is_number_unsigned();
      if (!whole || member.get<std::uint64_t>() - 1 >= children_max) {
        refuse(path, "levels: children = " + member.dump() + ": must be a whole number between 1 and " +
                         std::to_string(children_max));
      }
      l.children = member.get<std::uint32_t>();
    } else if (name == "line_ns") {
      l.line_ns = number_of(member, time_range, path, "levels: line_ns");
    } else {
      refuse(path, "levels: '" + name + "' = " + member.dump() + ": must be one of name, children, line_ns");
    }
  }
  if (l.children == 0) refuse(path, "levels: " + value.dump() + " has no children");
  return l;
}

// Outermost first, as in `machine`. The units are counted on the way, so that a long list is refused before it is made.
std::vector<machine::level> levels_of(const json& value, const std::string& path) {
  if (!value.is_array()) refuse(path, "levels = " + value.dump() + ": must be a list");
  if (value.size() > levels_max) {
    refuse(path,
           "levels: " + std::to_string(value.size()) + " of them: must be " + std::to_string(levels_max) + " at most");
  }
  std::vector<machine::level> levels;
  std::uint64_t units = 1;
  for (const json& l : value) {
    levels.push_back(level_of(l, path));
    // Checked at each level, so the product never runs over: 65536 times 4096 is far below 2^64.
    units *= levels.back().children;
    if (units > units_max) refuse(path, "levels: more than " + std::to_string(units_max) + " units");
  }
  return levels;
}

std::size_t kind_of(const std::string& name, const std::string& path, const std::string& member) {
  std::string known;
  for (std::size_t k = 0; k < work_kinds; ++k) {
    if (name == work_kind_names[k]) return k;
    known += (k == 0 ? "" : ", ") + std::string(work_kind_names[k]);
  }
  refuse(path, member + ": '" + name + "': must be one of " + known);
}

// Objects in an object: how work of a kind is slowed down, by the kind of the sibling's work.
void read_pairs(machine& m, const json& value, const std::string& path) {
  const std::string member = "smt_pairs";
  if (!value.is_object()) refuse(path, member + " = " + value.dump() + ": must be an object of kinds of work");
  for (const auto& [mine, beside] : value.items()) {
    auto& row = m.smt_pairs[kind_of(mine, path, member)];
    if (!beside.is_object())
      refuse(path, member + ": " + mine + " = " + beside.dump() + ": must be an object of kinds of work");
    for (const auto& [sibling, factor] : beside.items()) {
      row[kind_of(sibling, path, member + ": " + mine)] =
          number_of(factor, slowdown_range, path, member + ": " + mine + ": " + sibling);
    }
  }
}

// For readers of the file: where its times come from.
void check_sources(const json& value, const std::string& path) {
  if (!value.is_array()) refuse(path, "sources = " + value.dump() + ": must be a list of texts");
  for (const json& source : value) {
    if (!source.is_string()) refuse(path, "sources: " + source.dump() + ": must be text");
  }
}

// The file as a value. What the parser says of an error has the line and the column.
json parsed(const std::string& path) {
  std::ifstream file(path);
  if (!file) refuse(path, "cannot be read");
  // What it throws passes through the parser, which keeps nothing that outlives the call.
  const auto shallow = [&](int depth, json::parse_event_t, const json&) {
    if (depth > depth_max)
      refuse(path, "more than " + std::to_string(depth_max) + " objects and lists inside each other");
    return true;
  };
  try {
    return json::parse(file, shallow);
  } catch (const json::exception& e) {
    refuse(path, e.what());
  } catch (const std::ios_base::failure&) {  // a directory opens, but cannot be read
    refuse(path, "cannot be read");
  }
}

}  // namespace

machine machine::read(const std::string& path) {
  const json all = parsed(path);
  if (!all.is_object()) refuse(path, "is no object");
  // Begins with the defaults; what the file leaves out stays. `tracks_lines` is no member of files.
  machine m;
  const std::map<std::string, std::pair<double*, range>> numbers{
      {"line_ns", {&m.line_ns, time_range}},
      {"load_ns", {&m.load_ns, time_range}},
      {"store_ns", {&m.store_ns, time_range}},
      {"rmw_ns", {&m.rmw_ns, time_range}},
      {"fence_ns", {&m.fence_ns, time_range}},
      {"step_ns", {&m.step_ns, time_range}},
      {"relax_ns", {&m.relax_ns, pause_range}},
      {"yield_ns", {&m.yield_ns, pause_range}},
      {"clock_ns", {&m.clock_ns, time_range}},
      {"wait_ns", {&m.wait_ns, time_range}},
      {"wake_call_ns", {&m.wake_call_ns, time_range}},
      {"wake_ns", {&m.wake_ns, time_range}},
      {"signal_call_ns", {&m.signal_call_ns, time_range}},
      {"signal_ns", {&m.signal_ns, time_range}},
      {"signal_lock_ns", {&m.signal_lock_ns, time_range}},
      {"thread_ns", {&m.thread_ns, time_range}},
      {"work_slowdown", {&m.work_slowdown, slowdown_range}},
      {"smt_slowdown", {&m.smt_slowdown, slowdown_range}},
      {"memory_gb_s", {&m.memory_gb_s, bandwidth_range}},
  };
  for (const auto& [name, value] : all.items()) {
    if (const auto found = numbers.find(name); found != numbers.end()) {
      const auto& [member, may_be] = found->second;
      *member = number_of(value, may_be, path, name);
    } else if (name == "name") {
      m.name = name_of(value, path, name);
    } else if (name == "levels") {
      m.levels = levels_of(value, path);
    } else if (name == "smt_pairs") {
      read_pairs(m, value, path);
    } else if (name == "sources") {
      check_sources(value, path);
    } else if (name != "about") {
      refuse(path, "'" + name + "' = " + value.dump() + ": no such member");
    }
  }
  return m;
}

}  // namespace leat::inline LEAT_ABI::platform
