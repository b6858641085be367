// Machine files: JSON objects whose members are those of `machine`, and may be left out.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "leat/platform/simulation/machine.hpp"

namespace leat::platform {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::invalid_argument("leat: machine file '" + path + "': " + why);
}

double time_of(const json& value, const std::string& path, const std::string& name) {
  constexpr double ns_max = 1e12;
  if (!value.is_number()) refuse(path, name + " = " + value.dump() + ": must be a number of nanoseconds");
  const auto ns = value.get<double>();
  if (!(ns >= 0 && ns <= ns_max)) refuse(path, name + " = " + value.dump() + ": must be between 0 and 1e12");
  return ns;
}

machine::level level_of(const json& value, const std::string& path) {
  constexpr std::uint32_t children_max = 4096;
  if (!value.is_object()) refuse(path, "levels: " + value.dump() + " is no object");
  machine::level l{"", 0, 0};
  for (const auto& [name, member] : value.items()) {
    if (name == "name" && member.is_string()) {
      l.name = member.get<std::string>();
    } else if (name == "children" && member.is_number_unsigned() && member.get<std::uint64_t>() <= children_max) {
      l.children = member.get<std::uint32_t>();
    } else if (name == "line_ns") {
      l.line_ns = time_of(member, path, "levels: line_ns");
    } else {
      refuse(path, "levels: " + name + " = " + member.dump() + " is none of name, children (1 to 4096) and line_ns");
    }
  }
  if (l.children == 0) refuse(path, "levels: " + value.dump() + " has no children");
  return l;
}

}  // namespace

machine machine::read(const std::string& path) {
  constexpr std::uint64_t units_max = 1u << 16;
  std::ifstream file(path);
  if (!file) refuse(path, "cannot be read");
  json all;
  try {
    all = json::parse(file);
  } catch (const json::exception& e) {
    refuse(path, e.what());
  }
  if (!all.is_object()) refuse(path, "is no object");
  machine m;
  const std::map<std::string, double*> times{
      {"line_ns", &m.line_ns},           {"load_ns", &m.load_ns},
      {"store_ns", &m.store_ns},         {"rmw_ns", &m.rmw_ns},
      {"fence_ns", &m.fence_ns},         {"relax_ns", &m.relax_ns},
      {"yield_ns", &m.yield_ns},         {"clock_ns", &m.clock_ns},
      {"wait_ns", &m.wait_ns},           {"wake_call_ns", &m.wake_call_ns},
      {"wake_ns", &m.wake_ns},           {"signal_call_ns", &m.signal_call_ns},
      {"signal_ns", &m.signal_ns},       {"thread_ns", &m.thread_ns},
      {"smt_slowdown", &m.smt_slowdown},
  };
  std::uint64_t units = 1;
  for (const auto& [name, value] : all.items()) {
    if (const auto found = times.find(name); found != times.end()) {
      *found->second = time_of(value, path, name);
    } else if (name == "name" && value.is_string()) {
      m.name = value.get<std::string>();
    } else if (name == "levels" && value.is_array()) {
      for (const json& l : value) {
        m.levels.push_back(level_of(l, path));
        units *= m.levels.back().children;
        if (units > units_max) refuse(path, "levels: more than " + std::to_string(units_max) + " units");
      }
    } else if (name != "about") {
      refuse(path, "'" + name + "' = " + value.dump() + ": no such member");
    }
  }
  if (m.smt_slowdown < 1) refuse(path, "smt_slowdown = " + std::to_string(m.smt_slowdown) + ": must be 1 or more");
  return m;
}

}  // namespace leat::platform
