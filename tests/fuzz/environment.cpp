// What the environment says of a runtime: lines such as "LEAT_SPIN=100". The first byte is the number of CPUs.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/expect.hpp"
#include "leat/options.hpp"
#include "leat/settings.hpp"
#include "leat/topology.hpp"
#include "leat/topology/cpus.hpp"
#include "leat/topology/places.hpp"

namespace {

using leat_fuzz::expect;

unsigned cpus_there = 1;

struct variable {
  const char* name;
  std::string value;  // empty: the variable is not set
};

std::array<variable, 9> variables = {{{"LEAT_NUM_WORKERS", ""},
                                      {"LEAT_SCHEDULER", ""},
                                      {"LEAT_SPIN", ""},
                                      {"LEAT_SPARES", ""},
                                      {"LEAT_INTERRUPT_AFTER", ""},
                                      {"LEAT_HANG_REPORT", ""},
                                      {"LEAT_THREAD_NAME", ""},
                                      {"LEAT_STACK_SIZE", ""},
                                      {"LEAT_SHARE_CPUS", ""}}};

void set_environment(std::string_view lines) {
  for (variable& v : variables) v.value.clear();
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    for (variable& v : variables) {
      // A variable's value ends at a zero byte.
      if (v.name == line.substr(0, equals)) v.value = std::string(line.substr(equals + 1)).c_str();
    }
  }
  for (const variable& v : variables) {
    if (v.value.empty()) ::unsetenv(v.name);
    else ::setenv(v.name, v.value.c_str(), 1);
  }
}

// Checks that each option is what its variable says, and in its range.
void expect_heeded(const leat::options& o) {
  const auto heeded = [](std::size_t i, std::uint64_t value) {
    const std::string& text = variables.at(i).value;
    // Zeros in front are no part of a number.
    const std::size_t first = std::min(text.find_first_not_of('0'), text.size() - 1);
    if (!text.empty())
      expect(text.substr(first) == std::to_string(value), std::string(variables[i].name) + " is not heeded");
  };
  heeded(0, o.workers.value());
  heeded(2, o.spin_us.value());
  heeded(3, o.spares.value());
  heeded(4, o.interrupt_after_us.value());
  if (variables[5].value == "on-request")
    expect(*o.hang_report_s == leat::hang_report_on_request, "LEAT_HANG_REPORT is not heeded");
  else heeded(5, o.hang_report_s.value());
  heeded(7, o.stack_size.value());
  heeded(8, o.share_cpus.value() ? 1 : 0);
  const std::string& name = variables[6].value;
  expect(o.thread_name.value() == (name.empty() ? "leat" : name), "LEAT_THREAD_NAME is not heeded");
  const std::string& scheduler = variables[1].value;
  expect(o.scheduler.value() == (scheduler.empty() ? "channel" : scheduler), "LEAT_SCHEDULER is not heeded");
  expect(*o.workers >= 1 && *o.workers <= leat::workers_max, "there are too few workers, or too many");
  expect(*o.spares <= leat::spares_max && *o.spin_us <= leat::spin_us_max, "an option is out of range");
  expect(*o.interrupt_after_us <= leat::interrupt_after_us_max, "an option is out of range");
  expect(*o.hang_report_s <= leat::hang_report_s_max || *o.hang_report_s == leat::hang_report_on_request,
         "an option is out of range");
  const leat::scheduler::settings s = leat::settings_of(o);
  for (const std::uint32_t w : {0u, s.workers - 1, s.workers + s.spares - 1})
    expect(s.name_of_thread(w).size() <= leat::thread_name_max, "a thread's name is too long");
  expect(s.threads.stack_bytes == *o.stack_size &&
             (s.threads.stack_bytes == 0 || s.threads.stack_bytes >= leat::stack_size_min),
         "a stack is too small");
  expect(s.workers == *o.workers && s.spares == *o.spares, "the workers are lost on the way");
  expect(s.spin_ns == *o.spin_us * 1000 && s.patience_ns <= s.spin_ns, "microseconds are not nanoseconds");
}

// Checks that a refusal names a variable, and its value.
void expect_blamed(std::string_view message) {
  for (const variable& v : variables) {
    if (!v.value.empty() && message.starts_with(std::string("leat: ") + v.name + " = ")) {
      std::string value = v.value;
      value.erase(0, std::min(value.find_first_not_of('0'), value.size() - 1));
      return leat_fuzz::expect_named(message, value);
    }
  }
  expect(false, "the message '" + std::string(message) + "' names no variable that is set");
}

}  // namespace

// In place of the machine's own, which would take longer to read than all else takes here.
namespace leat::inline LEAT_ABI {

unsigned topology::available_cpus() { return cpus_there; }
topology::machine this_machine(std::uint32_t) {
  return topology::machine::flat(cpus_there, topology::machine::source::host);
}
std::vector<topology::unit_id> topology::places(const machine&) { return {}; }

}  // namespace leat::inline LEAT_ABI

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  cpus_there = data[0] + 1u;
  set_environment({reinterpret_cast<const char*>(data) + 1, size - 1});
  try {
    expect_heeded(leat::options().resolved());
  } catch (const std::invalid_argument& e) {
    expect_blamed(e.what());
  }
  return 0;
}
