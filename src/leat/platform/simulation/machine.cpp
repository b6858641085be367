#include "leat/platform/simulation/machine.hpp"

namespace leat::platform {

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
  if (levels.empty()) return 0;
  std::uint32_t all = 1;
  for (const level& l : levels) all *= l.children;
  return all;
}

double machine::line_between(std::uint32_t a, std::uint32_t b) const noexcept {
  if (a == b) return 0;
  if (levels.empty()) return line_ns;
  std::uint32_t beneath = units();
  for (const level& l : levels) {
    beneath /= l.children;
    if (a / beneath != b / beneath) return l.line_ns;
  }
  return levels.back().line_ns;
}

}  // namespace leat::platform
