// A value for each worker, on whatever platform.

#pragma once

#include <leat/platform/order.hpp>
#include <leat/task/spawn.hpp>

#include <cstdint>
#include <vector>

namespace leat::kernels {

/// leat::worker_local, as far as kernels need it, for runtimes of any platform.
template <class P, class T>
class worker_slots {
 public:
  explicit worker_slots(std::uint32_t workers) : slots_(workers) {}

  /// The calling worker's. Only in a task, and no longer than that waits for nothing; costs about a nanosecond.
  [[nodiscard]] T& local() { return slots_[task::this_worker<P>("worker_slots::local").id()].value; }

  /// T{} + first + second + ... Only when the tasks are done.
  [[nodiscard]] T sum() const noexcept {
    T sum{};
    for (const slot& s : slots_) sum = sum + s.value;
    return sum;
  }

 private:
  struct alignas(platform::cache_line) slot {
    T value{};
  };
  std::vector<slot> slots_;
};

}  // namespace leat::kernels
