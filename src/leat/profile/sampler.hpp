// The thread of a profile: every 10 ms it checks each worker that has a thread, and samples its operations.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "leat/platform/thread_view.hpp"
#include "leat/profile/worker_log.hpp"

namespace leat::inline LEAT_ABI::profile {

/// What the operating system says about the threads of one worker.
struct sampled {
  std::uint64_t ran_ns = 0;
  std::uint64_t queued_ns = 0;  ///< ready, without a CPU
  std::uint64_t checks = 0;  ///< that found the worker in a task
  std::map<std::uint64_t, std::uint64_t> calls;  ///< how often each system call blocked it then, by number
};

class sampler {
 public:
  using platform = worker_log::platform;
  static constexpr std::uint64_t period_ns = 10'000'000;

  /// \param logs  returns all logs so far; called on the sampler's thread
  explicit sampler(std::function<std::vector<worker_log*>()> logs) : logs_(std::move(logs)) {}
  sampler(const sampler&) = delete;
  sampler& operator=(const sampler&) = delete;
  /// Only after stop(), or in a forked child, which has no such thread.
  ~sampler() = default;

  /// \throws std::system_error  no thread can be started
  void start();

  /// Checks once more, and ends the thread. Only then may the samples be read.
  void stop() noexcept;
  const sampled& of(const worker_log* log) { return seen_[log].so_far; }

 private:
  struct view {
    sampled so_far;
    std::unique_ptr<leat::platform::thread_view> thread;
    leat::platform::thread_view::times last{};
  };

  void main() noexcept;
  void check_all() noexcept;
  static void check(const worker_log& log, view& v);

  const std::function<std::vector<worker_log*>()> logs_;
  std::map<const worker_log*, view> seen_;
  platform::thread thread_;
  platform::atomic<std::uint32_t> ended_{0};
};

}  // namespace leat::inline LEAT_ABI::profile
