// Machine files: what a simulated machine looks like and costs, in JSON.
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>

#include "fuzz/memory_file.hpp"
#include "leat/platform/simulation/machine.hpp"

namespace {

using leat::platform::machine;
using leat::platform::work_kind;
using leat::platform::work_kinds;
using leat_fuzz::expect;

struct cost {
  const char* name;
  double machine::* value;
};

constexpr std::array costs = {cost{"line_ns", &machine::line_ns},
                              cost{"load_ns", &machine::load_ns},
                              cost{"store_ns", &machine::store_ns},
                              cost{"rmw_ns", &machine::rmw_ns},
                              cost{"fence_ns", &machine::fence_ns},
                              cost{"relax_ns", &machine::relax_ns},
                              cost{"yield_ns", &machine::yield_ns},
                              cost{"clock_ns", &machine::clock_ns},
                              cost{"wait_ns", &machine::wait_ns},
                              cost{"wake_call_ns", &machine::wake_call_ns},
                              cost{"wake_ns", &machine::wake_ns},
                              cost{"signal_call_ns", &machine::signal_call_ns},
                              cost{"signal_ns", &machine::signal_ns},
                              cost{"thread_ns", &machine::thread_ns},
                              cost{"signal_lock_ns", &machine::signal_lock_ns},
                              cost{"step_ns", &machine::step_ns},
                              cost{"work_slowdown", &machine::work_slowdown},
                              cost{"smt_slowdown", &machine::smt_slowdown}};

std::string as_file(const machine& m) {
  nlohmann::ordered_json all{{"name", m.name}, {"levels", nlohmann::ordered_json::array()}};
  for (const machine::level& l : m.levels) {
    all["levels"].push_back({{"name", l.name}, {"children", l.children}, {"line_ns", l.line_ns}});
  }
  for (const cost& c : costs) all[c.name] = m.*c.value;
  return all.dump();
}

void expect_sound(const machine& m) {
  constexpr double cost_max = 1e9;
  constexpr std::uint32_t units_max = 1u << 16;
  for (const cost& c : costs) expect(m.*c.value >= 0 && m.*c.value <= cost_max, "a cost is out of range");
  expect(m.work_slowdown >= 1, "work would be faster than the schedule knows");
  expect(m.smt_slowdown >= 1 && m.relax_ns >= 1 && m.yield_ns >= 1, "a thread that waits would take no time");
  for (std::size_t mine = 0; mine < work_kinds; ++mine)
    for (std::size_t sibling = 0; sibling < work_kinds; ++sibling)
      expect(m.slowdown_beside(static_cast<work_kind>(mine), static_cast<work_kind>(sibling)) >= 1,
             "a sibling would help");
  expect(m.units() <= units_max, "a machine has too many units");
  const std::uint32_t last = m.units() == 0 ? 3 : m.units() - 1;
  for (const std::uint32_t u : {0u, last / 2, last}) {
    const double line = m.line_between(0, u);
    expect(line >= 0 && line <= cost_max, "a cache line takes no time that can be");
  }
}

void expect_same(const machine& a, const machine& b) {
  bool same = a.name == b.name && a.levels.size() == b.levels.size();
  for (const cost& c : costs) same = same && a.*c.value == b.*c.value;
  for (std::size_t i = 0; same && i < a.levels.size(); ++i) {
    const machine::level &of_a = a.levels[i], &of_b = b.levels[i];
    same = of_a.name == of_b.name && of_a.children == of_b.children && of_a.line_ns == of_b.line_ns;
  }
  expect(same, "a machine is another one after it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static leat_fuzz::memory_file file;
  file.hold(std::as_bytes(std::span(data, size)));
  try {
    const machine m = machine::read(file.path());
    expect_sound(m);
    const std::string again = as_file(m);
    file.hold(std::as_bytes(std::span(again)));
    expect_same(machine::read(file.path()), m);
  } catch (const std::invalid_argument& e) {
    leat_fuzz::expect_named(e.what(), file.path());
  }
  return 0;
}
