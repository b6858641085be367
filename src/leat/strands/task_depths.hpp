// How large the tasks are that tasks make.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/strands/times.hpp"

namespace leat::inline LEAT_ABI::strands {

/// Counts a thread's tasks, forks and loops by their depth, the number of tasks around them. The counts of all threads foretell how much
/// a new task and all that it makes will take in the recording: as much as others at its depth on average (SPAN-12).
template <class P>
class task_depths {
 public:
  static constexpr std::uint32_t depths = 64;  // the last one has all that are deeper
  struct counts {
    std::array<std::uint64_t, depths> tasks{};
    std::array<std::uint64_t, depths> others{};  // forks and loops in these tasks
    std::uint64_t deepest = 0;  // of the last depth: the sum over its tasks of all that each makes, with itself
  };

  task_depths() = default;
  task_depths(const task_depths&) = delete;
  task_depths& operator=(const task_depths&) = delete;

  /// A task is made there. The owner.
  void add(std::uint32_t depth) noexcept { add_to_row(tasks_, depth); }
  /// A fork or a loop in a task there. The owner.
  void add_other(std::uint32_t depth) noexcept { add_to_row(others_, depth); }
  /// Any thread. relaxed: some tasks more or less do not matter.
  void add_to(counts& all) const noexcept {
    for (std::size_t d = 0; d != depths; ++d) {
      all.tasks[d] += tasks_[d].load(platform::relaxed);
      all.others[d] += others_[d].load(platform::relaxed);
    }
    all.deepest += deepest_.load(platform::relaxed);
  }

  /// How many tasks at this depth take less than `grain` bytes together; 0: not even one. collect(counts) adds those of all threads.
  /// The owner.
  template <class F>
  std::uint64_t fit(std::uint32_t depth, std::uint64_t grain, F collect) noexcept {
    if (grain == 0) return 0;
    if (grain != grain_ || --until_look_ == 0) {
      counts all{};
      collect(all);
      look(all, grain);
    }
    return fit_[row(depth)];
  }

 private:
  static constexpr std::uint64_t bytes_each =
      16;  // of a short task: where it is made, its segment, and its strand. A fork takes about as many
  static constexpr std::uint64_t known_min = 4096;  // before so many tasks, none counts as small
  static constexpr std::uint32_t looks_apart = 4096;

  using word = typename P::template atomic<std::uint64_t>;

  static std::size_t row(std::uint32_t depth) noexcept { return std::min(depth, depths - 1); }

  void add_to_row(std::array<word, depths>& rows, std::uint32_t depth) noexcept {
    add_own(rows[row(depth)], 1);
    if (depth >= depths - 1) add_own(deepest_, depth - (depths - 2));  // so many tasks of the last row have made it
  }

  // Depths above one whose tasks are too large count as too large, too.
  void look(const counts& made, std::uint64_t grain) noexcept {
    grain_ = grain;
    until_look_ = looks_apart;
    fit_.fill(0);
    std::uint64_t all = 0;
    for (const std::uint64_t n : made.tasks) all += n;
    if (all < known_min) return;
    std::uint64_t below = 0;
    for (std::size_t d = depths; d-- != 0;) {
      below += made.tasks[d] + made.others[d];
      const std::uint64_t of_all = d == depths - 1 ? made.deepest : below;
      const std::uint64_t each = made.tasks[d] == 0 ? below + 1 : of_all / made.tasks[d];
      fit_[d] = grain / (each * bytes_each);
      if (made.tasks[d] != 0 && fit_[d] == 0) return;
    }
  }

  std::array<word, depths> tasks_{}, others_{};
  word deepest_{0};
  std::array<std::uint64_t, depths> fit_{};
  std::uint64_t grain_ = 0;
  std::uint32_t until_look_ = looks_apart;
};

}  // namespace leat::inline LEAT_ABI::strands
