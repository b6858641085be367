// A few threads with a few calls each, in every schedule that has at most three preemptions.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leat/platform/simulated.hpp"

namespace leat_test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::uint32_t preemptions_max = 2;  // there it takes ten times the time
#else
inline constexpr std::uint32_t preemptions_max = 3;
#endif

/// Runs world() in each; stops at the first failure. A check that fails in a world says so by simulation::fail. Returns how
/// many there were.
inline std::uint64_t in_every_schedule(const std::function<void()>& world,
                                       std::uint32_t preemptions = preemptions_max) {
  using namespace leat::platform;
  exhaustive who(preemptions);
  std::vector<preemption> schedule;
  who.record(schedule);
  simulation::settings s;
  s.on = machine::even();
  s.steps_max = 10'000;
  s.stack_bytes = std::size_t{1} << 16;
  simulation each(s, who);
  std::uint64_t worlds = 0;
  do {
    ++worlds;
    const auto end = each.run(world);
    if (end.ok()) continue;
    ADD_FAILURE() << "world " << worlds << ": " << end.failure;
    break;
  } while (who.advance());
  return worlds;
}

[[noreturn]] inline void fail_here(const std::string& why) { leat::platform::simulation::current()->fail(why); }

inline void expect_here(bool holds, const char* what) {
  if (!holds) fail_here(what);
}

/// Calls of several threads, in the order of their beginnings, and when each ended.
template <class Call>
class history {
 public:
  static constexpr std::size_t calls_max = 24;
  struct made {
    Call what;
    std::uint32_t begun;
    std::uint32_t ended;
    bool overlaps(const made& other) const { return begun < other.ended && other.begun < ended; }
  };

  void clear() { calls_ = ticks_ = 0; }

  /// Makes a call, which writes its answer into itself.
  template <class F>
  void make(Call call, F f) {
    const std::uint32_t at = calls_++;
    list_[at] = {call, ticks_++, 0};
    f(call);
    list_[at].what = call;
    list_[at].ended = ticks_++;
  }

  /// Whether some order of the calls, in which none comes before one that had ended when it began, explains all answers:
  /// model.take(call, history, number) tells whether the call can be next, and lets it happen (Herlihy and Wing,
  /// "Linearizability", 1990).
  template <class Model>
  bool explained_by(const Model& before) const {
    return place(before, 0);
  }

  std::size_t size() const { return calls_; }
  const made& operator[](std::size_t i) const { return list_[i]; }

 private:
  template <class Model>
  bool place(const Model& before, std::uint32_t placed) const {
    if (placed == (1u << calls_) - 1) return true;
    std::uint32_t first_end = ~0u;
    for (std::uint32_t i = 0; i < calls_; ++i) {
      if ((placed >> i & 1) == 0 && list_[i].ended < first_end) first_end = list_[i].ended;
    }
    for (std::uint32_t i = 0; i < calls_; ++i) {
      if ((placed >> i & 1) != 0 || list_[i].begun > first_end) continue;
      Model after = before;
      if (after.take(*this, i) && place(after, placed | 1u << i)) return true;
    }
    return false;
  }

  made list_[calls_max];
  std::uint32_t calls_ = 0;
  std::uint32_t ticks_ = 0;
};

}  // namespace leat_test
