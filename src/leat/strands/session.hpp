// Turns measuring and recording on and off for the process.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/platform/process_lock.hpp"
#include "leat/strands/record_file.hpp"
#include "leat/strands/stream.hpp"
#include "leat/strands/times.hpp"

namespace leat::inline LEAT_ABI::strands {

template <class P>
struct thread_words;

/// A process has one, from begin() to its end, or to the next begin().
template <class P>
class session {
 public:
  static constexpr std::uint32_t undecided = 0, off = 1;  // values of `number`; sessions count from 2 on

  /// The number of the session under way. It changes only while no task runs.
  static inline constinit std::uint32_t number = undecided;
  /// The cost of one reading of the clock, which is subtracted from each strand (SPAN-3).
  static inline constinit std::uint64_t clock_ns = 0;

  [[gnu::always_inline]] static bool on() noexcept {
    if (number > off) [[unlikely]]
      return true;
    return number == undecided && decide();
  }

  /// Measures from now on. Records into the file with this name, too, if that is not null. To be called while no task runs.
  /// Returns whether the file can be written.
  static bool begin(const char* record_to) {
    forget_in_children();
    clock_ns = cost_of_clock();
    accounts<P>::begin_anew();
    streams<P>::begin_anew();
    records = record_to != nullptr;
    const bool opened = !records || open_recording(record_to, clock_ns);
    number = std::max(number, off) + 1;
    outside_since = P::strand_ns();
    return opened;
  }
  static void begin_nothing() noexcept { number = off; }

  /// Ends the file of a recording. Returns whether all of it could be written.
  static bool end() {
    if (!records) return true;
    records = false;
    streams<P>::flush();
    return close_recording(streams<P>::many());
  }

  /// A thread's first measurement in this session.
  [[gnu::noinline, gnu::cold]] static void enter(thread_words<P>& me) {
    me.session = number;
    me.sums = &accounts<P>::open();
    me.out = records ? &streams<P>::open() : nullptr;
  }

  // -- the program's time outside of runs. If runs overlap, the first one records the time before them.

  static void outside_begins() noexcept {
    const typename lock::holding one(gate);
    if (--runs == 0) outside_since = P::strand_ns();
  }
  static std::uint64_t outside_ends() noexcept {
    const typename lock::holding one(gate);
    return runs++ == 0 ? P::strand_ns() - outside_since : 0;
  }

 private:
  using lock = platform::process_lock<P>;  // a child may be forked while another thread is inside

  // The file is the parent's.
  static void forget_in_children() {
    static constinit bool asked = false;
    if (!asked) P::on_fork([] { number = std::min(number, off), records = false, forget_recording(); });
    asked = true;
  }

  // Reads the program's environment. In write_spans.cpp.
  static bool decide() noexcept;

  // The mean over a row of readings, as strands read the clock in a row. The least of several rows, as other programs disturb some.
  static std::uint64_t cost_of_clock() noexcept {
    constexpr std::uint64_t readings = 256, rows = 16;
    std::uint64_t least = UINT64_MAX;
    for (std::uint64_t row = 0; row != rows; ++row) {
      const std::uint64_t began = P::strand_ns();
      std::uint64_t last = began;
      for (std::uint64_t i = 0; i != readings; ++i) last = P::strand_ns();
      least = std::min(least, (last - began) / readings);
    }
    return least;
  }

  static inline constinit bool records = false;
  static inline constinit lock deciding{};
  static inline constinit lock gate{};  // of the two below
  static inline constinit std::uint64_t outside_since = 0;
  static inline constinit std::uint32_t runs = 0;
};

}  // namespace leat::inline LEAT_ABI::strands
