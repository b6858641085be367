// How large the tasks are that tasks make.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/strands/times.hpp"

namespace leat::inline LEAT_ABI::strands {

/// How many tasks a thread has made, by the number of tasks around them. With those of all threads it knows before a task is
/// executed how much this and all that it makes will take in the recording: as much as others at its depth on average (SPAN-12).
template <class P>
class task_depths {
 public:
  static constexpr std::uint32_t depths = 64;  // the last one has all that are deeper
  using counts = std::array<std::uint64_t, depths>;

  task_depths() = default;
  task_depths(const task_depths&) = delete;
  task_depths& operator=(const task_depths&) = delete;

  /// One is made there. The owner.
  void add(std::uint32_t depth) noexcept { add_own(made_[row(depth)], 1); }
  /// Any thread. relaxed: some tasks more or less do not matter.
  void add_to(counts& all) const noexcept {
    for (std::size_t d = 0; d != depths; ++d) all[d] += made_[d].load(platform::relaxed);
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
  static constexpr std::uint64_t bytes_each = 16;  // of a short task: where it is made, its segment, and its strand
  static constexpr std::uint64_t known_min = 4096;  // before so many tasks, none counts as small
  static constexpr std::uint32_t looks_apart = 4096;

  static std::size_t row(std::uint32_t depth) noexcept { return std::min(depth, depths - 1); }

  // Depths above one whose tasks are too large count as too large, too.
  void look(const counts& made, std::uint64_t grain) noexcept {
    grain_ = grain;
    until_look_ = looks_apart;
    fit_.fill(0);
    std::uint64_t all = 0;
    for (const std::uint64_t n : made) all += n;
    if (all < known_min) return;
    std::uint64_t below = 0;
    for (std::size_t d = depths; d-- != 0;) {
      below += made[d];
      const std::uint64_t each = made[d] == 0 ? below + 1 : below / made[d];
      fit_[d] = grain / (each * bytes_each);
      if (made[d] != 0 && fit_[d] == 0) return;
    }
  }

  std::array<typename P::template atomic<std::uint64_t>, depths> made_{};
  counts fit_{};
  std::uint64_t grain_ = 0;
  std::uint32_t until_look_ = looks_apart;
};

}  // namespace leat::inline LEAT_ABI::strands
