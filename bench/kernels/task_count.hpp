// How many tasks ran, counted by the tasks themselves.

#pragma once

#include <leat/platform/order.hpp>
#include <leat/task/spawn.hpp>

#include <cstdint>
#include <vector>

namespace leat::kernels {

/// A count that every worker adds to on a cache line of its own.
template <class P>
class task_count {
 public:
  explicit task_count(std::uint32_t workers) : slots_(workers) {}

  /// Counts one. Only in a task; costs about a nanosecond.
  void add() { ++slots_[task::this_worker<P>("task_count::add").id()].value; }

  /// The sum. Only when the tasks are done.
  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const slot& s : slots_) sum += s.value;
    return sum;
  }

 private:
  struct alignas(platform::cache_line) slot {
    std::uint64_t value = 0;
  };
  std::vector<slot> slots_;
};

}  // namespace leat::kernels
