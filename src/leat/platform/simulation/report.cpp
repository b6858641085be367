// The report of a failed world: where each thread is, and the last events.
#include <algorithm>
#include <cstdio>
#include <string>

#include "leat/platform/simulation/simulation.hpp"

namespace leat::inline LEAT_ABI::platform {

std::string simulation::report(const std::string& why) const {
  const auto describe = [this](const fibre& f) {
    std::string text = "  thread " + std::to_string(f.number) + ": ";
    switch (f.now) {
      case fibre::state::ready: text += &f == here_ ? "runs" : "could go on"; break;
      case fibre::state::working: text += "works"; break;
      case fibre::state::parked:
        text += "sleeps on +" + std::to_string(memory_.offset(f.awaits));
        if (f.timed) text += " until " + std::to_string(f.clock_ps / 1000) + " ns";
        break;
      case fibre::state::spinning: text += "spins"; break;
      case fibre::state::joining:
        text += "joins thread " + std::to_string(static_cast<const fibre*>(f.awaits)->number);
        break;
      case fibre::state::ended: text += "has ended"; break;
    }
    text += ", " + std::to_string(f.clock_ps / 1000) + " ns, " + std::to_string(f.steps) + " steps";
    if (f.interrupted) text += ", a signal is on its way";
    return text + '\n';
  };
  std::string text = why + "\n";
  constexpr std::size_t threads_told = 64;
  for (std::size_t i = 0; i < std::min(fibres_.size(), threads_told); ++i) text += describe(*fibres_[i]);
  if (fibres_.size() > threads_told) text += "  and so on, " + std::to_string(fibres_.size()) + " threads\n";
  const std::uint64_t kept = std::min<std::uint64_t>(steps_, events_.size());
  if (kept != 0) text += "the last " + std::to_string(kept) + " of " + std::to_string(steps_) + " events:\n";
  for (std::uint64_t i = steps_ - kept; i < steps_; ++i) {
    const event& e = events_[i % events_.size()];
    char line[96];
    std::snprintf(line, sizeof line, "  %12.1f ns  thread %-4u %-9s", static_cast<double>(e.ps) / 1000, e.thread,
                  name_of(e.what));
    text += line;
    if (e.place != 0) text += " +" + std::to_string(e.place);
    text += '\n';
  }
  return text;
}

}  // namespace leat::inline LEAT_ABI::platform
