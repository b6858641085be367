#include "leat/waiting/report.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace leat::inline LEAT_ABI::waiting {

namespace {

const char* name_of(wait_kind k) {
  switch (k) {
    case wait_kind::join: return "fork_join or a loop";
    case wait_kind::future: return "future::wait";
    case wait_kind::group: return "task_group::wait";
    case wait_kind::barrier: return "barrier";
    case wait_kind::blocking: return "leat::blocking";
    case wait_kind::run: return "runtime::run";
    case wait_kind::foreign_run: return "runtime::run of another runtime";
    case wait_kind::foreign_future: return "future::wait for another runtime's task";
    case wait_kind::channel: return "a call of leat::channel";
  }
  return "";
}

// One line. A blocked worker does not wait in a construct of leat, but is in the program's own call.
std::string line_of(const reported_wait& w) {
  std::string line = "  ";
  line += w.worker ? "worker " + std::to_string(*w.worker) : "a thread outside";
  if (!w.kind) return line + " has nothing to do\n";
  char time[32];
  std::snprintf(time, sizeof time, " for %.1f s", w.seconds);
  line += std::string(*w.kind == wait_kind::blocking ? " is in " : " waits in ") + name_of(*w.kind) + time;
  if (w.executed_by) line += ", for what worker " + std::to_string(*w.executed_by) + " executes";
  return line + "\n";
}

}  // namespace

std::string report_of_hang(std::uint64_t seconds, const std::vector<reported_wait>& waits) {
  std::string text = "leat: a run is under way, and no worker has executed anything for " + std::to_string(seconds) +
                     " s (LEAT_HANG_REPORT):\n";
  std::vector<reported_wait> sorted = waits;
  // A worker's innermost wait, which is the newest, comes first.
  const auto before = [](const reported_wait& a, const reported_wait& b) {
    const auto none = ~std::uint32_t{0};
    return std::pair(a.worker.value_or(none), a.seconds) < std::pair(b.worker.value_or(none), b.seconds);
  };
  std::sort(sorted.begin(), sorted.end(), before);
  for (const reported_wait& w : sorted) text += line_of(w);
  return text;
}

void tell_hang(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace leat::inline LEAT_ABI::waiting
