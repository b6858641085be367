// What a thief of the engine `rma` does with what it reads and is told: pure, as leat/protocol/ is. Rules RMA,
// docs/internals/cluster_engines.md; Machado et al., section 5.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "leat/cluster/transport.hpp"
#include "leat/cluster/victims.hpp"
#include "leat/protocol/random.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// What a rank tells the ranks that read its status. It may be old when it is read: a hint for the tour, never more.
struct rank_status {
  bool here = false;  ///< it has begun the reader's run
  bool busy = false;
  std::uint32_t shared = 0;  ///< tasks that it could give away
};

/// A status as a word of the window: the run in the upper half, then the number of tasks, and one bit for `busy`. One
/// word, so that a reader never sees parts of two. A number that is too large is told as the largest.
constexpr std::uint64_t status_word(std::uint32_t run, bool busy, std::size_t shared) noexcept {
  constexpr std::size_t shared_max = 0x7fffffff;
  const auto told = static_cast<std::uint64_t>(std::min(shared, shared_max));
  return std::uint64_t{run} << 32 | told << 1 | (busy ? 1 : 0);
}

constexpr rank_status status_in(std::uint64_t word, std::uint32_t run) noexcept {
  return {static_cast<std::uint32_t>(word >> 32) == run, (word & 1) != 0,
          static_cast<std::uint32_t>(word & 0xffffffff) >> 1};
}

/// A request as a word of the victim's window. Zero is none, as runs count from one. Only its thief writes the word,
/// and only after the last request was answered, so a victim misses none.
constexpr std::uint64_t request_word(std::uint32_t run, std::uint32_t serial) noexcept {
  return std::uint64_t{run} << 32 | serial;
}

/// The three answers (section 5.1).
enum class answer : std::uint8_t {
  work,  ///< tasks, in the landing zone
  busy,  ///< no tasks to spare, but the victim has work
  nothing,  ///< no work at all
};

/// An answer as a word of the thief's window, and the bytes that have landed. The serial is that of the request: an
/// older word stays there until the next answer, and its serial tells that it is old. Two bits say which answer,
/// thirty how many bytes.
struct answer_word {
  std::uint32_t serial = 0;
  answer what = answer::nothing;
  std::uint32_t bytes = 0;

  constexpr std::uint64_t word() const noexcept {
    return std::uint64_t{serial} << 32 | static_cast<std::uint64_t>(what) << 30 | bytes;
  }

  static constexpr answer_word in(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<answer>(word >> 30 & 3),
            static_cast<std::uint32_t>(word & 0x3fffffff)};
  }
};

/// RMA-4: any rank but `self`, of two at least.
constexpr rank_id some_other(rank_id self, rank_id ranks, protocol::random& drawn) noexcept {
  const rank_id one = drawn.below(ranks - 1);
  return one < self ? one : one + 1;
}

/// A thief's way round all ranks (RMA-2, VICTIM-1): reads each one's status, and asks a rank that has something to spare.
/// Ranks - 1 reads at most, one at a time.
///
/// `begin`, then `on_status` after each read and `on_refusal` after each answer without work: each says what comes
/// next.
class tour {
 public:
  enum class act : std::uint8_t { read, ask, over };
  struct move {
    act what;
    rank_id who;
  };

  tour(rank_id self, rank_id ranks, const victim_plan& plan = {}) : others_(self, ranks, plan) {}

  /// A new round. If the last one ended with a request, that brought work.
  move begin() {
    if (std::exchange(asked_, false)) others_.gave();
    all_nothing_ = true;
    return to(others_.first());
  }

  /// The status that was read. A rank that is busy keeps the thief out of the counter, even if it shares nothing.
  move on_status(const rank_status& s) noexcept {
    if (!s.here || s.busy) all_nothing_ = false;
    asked_ = s.here && s.shared != 0;
    return asked_ ? move{act::ask, at_} : to(others_.next());
  }

  /// The answer to what was asked, unless that was work: then the tour has come to its end.
  move on_refusal(answer a) noexcept {
    asked_ = false;
    if (a == answer::busy) all_nothing_ = false;
    return to(others_.next());
  }

  /// RMA-5: whether, on the way so far, every rank had no work at all. A rank that has not begun the run may have
  /// roots.
  bool all_nothing() const noexcept { return all_nothing_; }

 private:
  move to(std::optional<rank_id> next) noexcept {
    if (!next) return {act::over, at_};
    at_ = *next;
    return {act::read, at_};
  }

  victims others_;
  rank_id at_ = 0;
  bool asked_ = false;  // and has not been refused
  bool all_nothing_ = true;
};

}  // namespace leat::inline LEAT_ABI::ranks
