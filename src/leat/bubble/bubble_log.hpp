// The log of bubbles: how often each thing happened to one, and the program's trace of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "leat/bubble/bubble_node.hpp"
#include "leat/bubble/trace.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// How often something happened to bubbles.
struct bubble_counts {
  std::uint64_t down = 0;  ///< a bubble went one level down
  std::uint64_t bursts = 0;
  std::uint64_t recalls = 0;  ///< its slice was over (REGENERATION-3)
  std::uint64_t moves = 0;  ///< to an idle unit (REGENERATION-1)
  std::uint64_t widenings = 0;  ///< for an idle unit (REGENERATION-2)
};

/// Under the bubbles' lock, so the events of a trace lie in the order in which they happened. The
/// counts go on after close(): a bubble may outlive the call of run_threads, and ends then.
template <class P>
class bubble_log {
 public:
  /// \param t  is written to until close(); or null
  bubble_log(trace* t, const topology::machine& m) : trace_(t) {
    if (trace_ != nullptr) trace_->begin(m);
  }

  /// \param at     the domain that the event is about; the root's for those that happen nowhere
  /// \param other  the number of another bubble that takes part; the default: there is none
  void note(incident what, const bubble_node<P>& b, topology::domain_id at,
            std::uint32_t other = trace_event::nobody) noexcept {
    ++seen_[static_cast<std::size_t>(what)];
    if (trace_ != nullptr) [[unlikely]]
      write(what, b, at, other);
  }

  bubble_counts counts() const noexcept {
    const auto of = [this](incident i) { return seen_[static_cast<std::size_t>(i)]; };
    return {of(incident::down), of(incident::burst), of(incident::sliced), of(incident::moved), of(incident::widened)};
  }

  /// The trace is the program's again, which may destroy it; bubbles may end later.
  void close() noexcept { trace_ = nullptr; }

 private:
  // Out of line: most calls have no trace, and the clock is read only for one.
  [[gnu::noinline, gnu::cold]] void write(incident what, const bubble_node<P>& b, topology::domain_id at,
                                          std::uint32_t other) noexcept {
    trace_->add({P::now_ns(), b.number, other, at, static_cast<std::uint32_t>(b.threads), what});
  }

  trace* trace_;
  std::array<std::uint64_t, incident_names.size()> seen_{};
};

}  // namespace leat::inline LEAT_ABI::bubbles
