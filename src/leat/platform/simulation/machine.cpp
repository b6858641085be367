#include "leat/platform/simulation/machine.hpp"

namespace leat::inline LEAT_ABI::platform {

// Such a schedule chooses among the threads whose time has come. With the costs of a real machine a thread that is
// woken would be out of its reach for thousands of steps of the others; with these it may go on at the next one.
machine machine::even() noexcept {
  machine m;
  m.name = "even";
  m.tracks_lines = false;
  for (double* cost : {&m.load_ns, &m.store_ns, &m.rmw_ns, &m.fence_ns, &m.relax_ns, &m.yield_ns, &m.clock_ns,
                       &m.wait_ns, &m.wake_call_ns, &m.wake_ns, &m.signal_call_ns, &m.signal_ns, &m.thread_ns}) {
    *cost = 1;
  }
  return m;
}

std::uint32_t machine::units() const noexcept {
  // A machine file's product is at most 65536 (machine_file.cpp), so it fits.
  if (levels.empty()) return 0;
  std::uint32_t all = 1;
  for (const level& l : levels) all *= l.children;
  return all;
}

double machine::line_between(std::uint32_t a, std::uint32_t b) const noexcept {
  if (a == b) return 0;
  if (levels.empty()) return line_ns;
  // From the root: `beneath` is the number of units in one child of the level at hand. Two units that are in
  // different children are as far apart as that level says.
  std::uint32_t beneath = units();
  for (const level& l : levels) {
    beneath /= l.children;
    if (a / beneath != b / beneath) return l.line_ns;
  }
  // Not reached for units of the machine: at the last level each child is one unit.
  return levels.back().line_ns;
}

}  // namespace leat::inline LEAT_ABI::platform
