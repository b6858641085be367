// What a thread remembers of a loop: the next one with the same type of body is probably like it. Rules LOOP-7, LOOP-14,
// LOOP-17, LOOP-18, LOOP-20: docs/internals/loops.md.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Each thread has one for each type of parts (LOOP-14), so a wrong guess of one thread costs others nothing. All zero before the
/// first loop.
template <class Part>
class last_time {
 public:
  /// A loop that takes less is over before another worker could be of use: a steal takes about so long.
  static constexpr std::uint64_t brief_ns = 4'000;

  /// LOOP-18: the same for a loop that a thread of the program calls from outside, if the worker that it becomes has no thief: the
  /// other workers are idle, and one may have to be woken.
  static constexpr std::uint64_t brief_unasked_ns = 8'000;

  /// LOOP-18: of so many loops that are brief only as there is no thief, one answers thieves. The thief that it serves stays
  /// if the loops follow each other fast.
  static constexpr std::uint32_t unasked_max = 256;

  /// LOOP-7: what a brief loop of the thread takes at most.
  static constexpr std::uint64_t brief_ns_max(bool unasked) noexcept { return unasked ? brief_unasked_ns : brief_ns; }

  /// LOOP-7: whether the next loop, of so many iterations, is to be brief. Once for each loop, as it counts them (LOOP-18).
  bool next_is_brief(std::uint64_t iterations, bool unasked) noexcept {
    const float all_ns = iteration_ns_ * static_cast<float>(iterations);
    if (iteration_ns_ == 0 || all_ns >= static_cast<float>(brief_ns_max(unasked))) return false;
    if (all_ns < static_cast<float>(brief_ns)) return true;
    unasked_ = (unasked_ + 1) % unasked_max;
    return unasked_ != 0;
  }

  /// LOOP-17: iterations in the first chunk of such a loop. 1 if nothing is known, or the loop is long.
  std::uint64_t first_chunk(std::uint64_t iterations) const noexcept {
    if (iteration_ns_ == 0 || iteration_ns_ * static_cast<float>(iterations) >= short_ns) return 1;
    const auto most = static_cast<float>(iterations) / first_share;
    return std::max<std::uint64_t>(1,
                                   static_cast<std::uint64_t>(std::min({first_ns / iteration_ns_, first_max, most})));
  }

  /// LOOP-20: iterations that the caller executes before a thief that waits for the loop begins with its part. 0 if unknown.
  std::uint64_t lead() const noexcept {
    return iteration_ns_ == 0 ? 0 : static_cast<std::uint64_t>(thief_late_ns / iteration_ns_);
  }

  void was(double iteration_ns) noexcept { iteration_ns_ = static_cast<float>(iteration_ns); }

 private:
  // LOOP-17: a first chunk takes first_ns, and has first_max iterations and an eighth of the loop at most. A loop that takes
  // short_ns has time to find its size.
  static constexpr float first_ns = 1'000, first_max = 64, first_share = 8, short_ns = 128'000;

  // From the poll that answers the thief, until its first iteration.
  static constexpr float thief_late_ns = 300;

  float iteration_ns_;  // 0: unknown
  std::uint32_t unasked_;
};

}  // namespace leat::inline LEAT_ABI::loop
