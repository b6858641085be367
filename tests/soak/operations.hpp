// Operations: a function for each kind. Each one knows what must come out, and fails if something else does.
#pragma once

#include <array>
#include <cstdint>

#include "draws.hpp"
#include "kinds.hpp"
#include "leat/leat.hpp"
#include "ledger.hpp"

namespace soak {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define LEAT_SOAK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define LEAT_SOAK_SANITIZED 1
#endif
#endif

#if defined(LEAT_SOAK_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Operations are begun inside others to this depth.
inline constexpr int levels_max = 3;

/// Where an operation may be begun.
enum class place : std::uint8_t {
  outside,  ///< by a thread of the program
  root,     ///< in the root of a run: barriers, run_threads
  task,     ///< in any task
};

/// How often each kind is drawn among those of its place.
class mix {
 public:
  /// Every kind, those with many cheap deque operations most often.
  mix();

  /// Leaves out all others. In a place that none of these has, `fork` is drawn.
  void keep_only(const std::array<bool, kind_count>& kinds);

  bool has(kind k) const { return weights_[index_of(k)] != 0; }
  kind draw(draws& numbers, place where) const;

 private:
  std::array<std::uint64_t, kind_count> weights_{};
};

/// Where operations of this kind are begun.
place place_of(kind k);

/// What one operation has: numbers of its own, and a runtime in whose run it is, or may begin one.
struct scene {
  draws numbers;
  ledger& book;
  const mix& kinds;
  leat::runtime& home;
  const leat::runtime* local;  ///< the runtime whose worker executes the operation: home, or a team's
  leat::runtime& other;        ///< home, or a runtime whose workers never wait for home's
  int level = 0;

  /// For a part of this operation that is an operation, too.
  scene inner() { return {numbers.split(), book, kinds, home, local, other, level + 1}; }

  /// A size of up to n, an eighth of it under a sanitizer; less in operations inside others. The greatest one comes often, so that a
  /// sitting soon has all the memory that it will ever have.
  std::uint64_t size(std::uint64_t n) {
    const std::uint64_t most = (sanitized ? n / 8 : n) >> 2 * level;
    return 1 + (numbers.once_in(4) ? most : numbers.below((most >> numbers.below(6)) + 1));
  }
};

/// Executes an operation of kind k, and writes it down.
void perform(kind k, scene& s);

/// Executes an operation of a kind that any task may begin, unless this is one at the greatest depth.
void perform_inside(scene s);

void forks(scene& s);
void context_forks(scene& s);
void rows(scene& s);
void spawns(scene& s);
void loose_tasks(scene& s);
void groups(scene& s);
void cancellations(scene& s);
void futures(scene& s);
void shared_futures(scene& s);
void dropped_futures(scene& s);
void loops(scene& s);
void spawned_loops(scene& s);
void reductions(scene& s);
void scans(scene& s);
void sorts(scene& s);
void locals(scene& s);
void long_tasks(scene& s);
void blocking_calls(scene& s);
void handovers(scene& s);
void exceptions(scene& s);
void user_threads(scene& s);
void user_bubbles(scene& s);
void runs_across(scene& s);
void strangers(scene& s);
void teams(scene& s);
void runtimes(scene& s);

/// Options as they come, for a runtime of at most so many workers.
leat::options drawn_options(draws& numbers, std::uint64_t workers_max);

}  // namespace soak
