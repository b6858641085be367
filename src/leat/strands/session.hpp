// Turns measuring and recording on and off for the process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "leat/platform/process_lock.hpp"
#include "leat/strands/record_file.hpp"
#include "leat/strands/stream.hpp"
#include "leat/strands/times.hpp"

namespace leat::inline LEAT_ABI::strands {

template <class P>
struct thread_words;

/// A process has one, from begin() to its end, or to the next begin() (SPAN-9).
template <class P>
class session {
 public:
  static constexpr std::uint32_t undecided = 0, off = 1;  // values of number(); sessions count from 2 on

  /// The number of the session under way. It changes only while no task runs, and in a forked child. acquire: pairs with the end of
  /// begin(), so a thread that enters the session finds all of it.
  static std::uint32_t number() noexcept { return number_.load(platform::acquire); }
  /// The cost of one reading of the clock, which is subtracted from each strand (SPAN-3).
  static inline constinit std::uint64_t clock_ns = 0;
  /// While a session is on, standard algorithms divide their work among at least so many workers. Set before begin().
  static inline constinit std::uint64_t workers_least = 0;

  [[gnu::always_inline]] static bool on() noexcept {
    // relaxed: a thread calls number() before it reads anything else of the session
    const std::uint32_t now = number_.load(platform::relaxed);
    if (now > off) [[unlikely]]
      return true;
    return now == undecided && decide();
  }

  /// Measures from now on. Records into the file with this name, too, if that is not null. To be called while no task runs.
  /// `limit`: about how many bytes the file may take (SPAN-10). Returns whether it can be written. Throws std::bad_alloc.
  static bool begin(const char* record_to, std::uint64_t limit = recorded_size<P>::limit_default) {
    if (!std::exchange(asked, true)) P::on_fork(turn_off);  // the file is the parent's
    clock_ns = cost_of_clock();
    accounts<P>::begin_anew();
    streams<P>::begin_anew();
    recorded_size<P>::begin_anew(limit);
    records_.store(record_to != nullptr,
                   platform::relaxed);  // relaxed, up to the last store, which publishes all
    ended_.store(false, platform::relaxed);
    const bool opened = record_to == nullptr || open_recording(record_to, clock_ns);
    outside_since = P::strand_ns();
    number_.store(std::max(number_.load(platform::relaxed), off) + 1,
                  platform::release);  // release: pairs with number()
    return opened;
  }
  /// Nothing is measured from now on. Frames and constructs that have begun may still end. relaxed, both: no other thread is in a
  /// task, and nothing is read because of them.
  static void turn_off() noexcept {
    records_.store(false, platform::relaxed);
    number_.store(off, platform::relaxed);
  }

  /// Ends the file of a recording. Other threads may be in tasks; what these do from now on is not recorded. Returns whether all
  /// before could be written.
  static bool end() {
    // relaxed: as in begin(). A thread may still open a stream, and what it writes after the file is closed is dropped. The stream
    // gives its forks their numbers, which other threads write when they execute them.
    if (!records_.load(platform::relaxed) || ended_.exchange(true, platform::relaxed)) return true;
    streams<P>::close();
    return close_recording(streams<P>::many(), recorded_size<P>::grain());
  }

  /// A thread's first measurement in this session.
  [[gnu::noinline, gnu::cold]] static void enter(thread_words<P>& me) {
    me.session = number();
    me.sums = &accounts<P>::open();
    me.own_out = records_.load(platform::relaxed) ? &streams<P>::open() : nullptr;  // relaxed: as in begin() and end()
    me.out = me.own_out;
    me.row = nullptr;
    me.in_row = {};
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

  // Reads the program's environment. In write_spans.cpp.
  static bool decide() noexcept;

  // The mean over a row of readings, as strands read the clock in a row. The least of several rows, as other programs disturb some.
  // Rows count when the clock has been read for a while: the platform may have found a cheaper way to read it by then.
  static std::uint64_t cost_of_clock() noexcept {
    constexpr std::uint64_t readings = 256, rows = 16, settled_ns = 25'000'000, readings_max = 10'000'000;
    const std::uint64_t first = P::strand_ns();
    for (std::uint64_t i = 0; i != readings_max && P::strand_ns() - first < settled_ns; ++i);
    std::uint64_t least = UINT64_MAX;
    for (std::uint64_t row = 0; row != rows; ++row) {
      const std::uint64_t began = P::strand_ns();
      std::uint64_t last = began;
      for (std::uint64_t i = 0; i != readings; ++i) last = P::strand_ns();
      least = std::min(least, (last - began) / readings);
    }
    return least;
  }

  static inline constinit typename P::template atomic<std::uint32_t> number_{undecided};
  static inline constinit typename P::template atomic<bool> records_{false}, ended_{false};  // the recording
  static inline constinit bool asked = false;  // whether forked children turn the session off
  static inline constinit lock deciding{};
  static inline constinit lock gate{};  // of the two below
  static inline constinit std::uint64_t outside_since = 0;
  static inline constinit std::uint32_t runs = 0;
};

}  // namespace leat::inline LEAT_ABI::strands
