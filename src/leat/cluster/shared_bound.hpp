// A bound that all workers of all ranks of a run share: branch and bound prunes by it. docs/internals/cluster.md, rules BOUND.
#pragma once

#include <cstdint>

#include "leat/platform/chosen.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI {

/// Which of two values of a bound is the better one.
enum class bound_goal : std::uint8_t {
  maximum,  ///< the larger
  minimum,  ///< the smaller
};

/// One rank's copy of the bound, which only improves while a run lasts. cluster::run is given it, makes it `start`, and
/// carries improvements to the other ranks.
///
/// A value that is read may be old, never wrong: some task of this run has improved the bound by it, or it is `start`, or
/// the result of the snapshot with which the run goes on stands for it.
///
/// Thread safety: all members but reset may be called by all workers of the rank at once. A rank has one for each cluster
/// that runs at a time. It outlives the run.
class shared_bound {
 public:
  /// \param goal   the same on every rank
  /// \param start  the value with which each run begins, the same on every rank: that of a solution which the run's
  ///               identity holds, or one that every solution improves
  shared_bound(bound_goal goal, std::int64_t start) noexcept : goal_(goal), start_(start), value_(start) {}

  shared_bound(const shared_bound&) = delete;
  shared_bound& operator=(const shared_bound&) = delete;
  ~shared_bound() = default;

  /// The best value that this rank knows. Cost: a plain load.
  std::int64_t read() const noexcept {
    // relaxed: the value alone counts. The solution travels in the result of its task (BOUND-1).
    return value_.load(platform::relaxed);
  }

  /// Makes this the bound if it is better than the one that this rank knows, and returns whether it was. Other ranks hear of it
  /// after the next poll of this rank. A task that calls it holds the solution in the result that it
  /// returns (BOUND-1). Cost: a load, and a compare-and-swap if it is better.
  bool improve(std::int64_t value) noexcept {
    std::int64_t known = read();
    while (is_better(value, known)) {
      // relaxed, both: as in read.
      if (value_.compare_exchange_weak(known, value, platform::relaxed, platform::relaxed)) return true;
    }
    return false;
  }

  /// Whether a is strictly better than b.
  bool is_better(std::int64_t a, std::int64_t b) const noexcept { return goal_ == bound_goal::maximum ? a > b : a < b; }

  std::int64_t start() const noexcept { return start_; }

  /// Back to `start`. A run does so when it begins (BOUND-3), before it has a task.
  void reset() noexcept { value_.store(start_, platform::relaxed); }  // relaxed: no task runs

 private:
  const bound_goal goal_;
  const std::int64_t start_;
  // Alone in its line: all workers read it at each task, and hardly any writes it.
  alignas(platform::cache_line) platform::chosen::atomic<std::int64_t> value_;
};

}  // namespace leat::inline LEAT_ABI
