// What a profile holds of one runtime: a log for each of its workers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leat/handshake/spin_lock.hpp"
#include "leat/profile/worker_log.hpp"

namespace leat::inline LEAT_ABI::profile {

/// Any thread. Logs live as long as the process does: the profile is written at its end.
class runtime_log {
 public:
  using platform = worker_log::platform;

  /// The most intervals of one worker, and of all workers of a runtime. Each has 8 bytes, which take memory only when they
  /// are used.
  static constexpr std::size_t intervals_max = std::size_t{1} << 20;
  static constexpr std::size_t all_intervals_max = std::size_t{1} << 26;

  /// \param kind     "runtime", "team" or "default"
  /// \param workers  without compensating ones
  runtime_log(std::string kind, std::uint32_t workers, std::string scheduler)
      : kind_(std::move(kind)), scheduler_(std::move(scheduler)), workers_(workers) {}
  runtime_log(const runtime_log&) = delete;
  runtime_log& operator=(const runtime_log&) = delete;

  const std::string& kind() const noexcept { return kind_; }
  const std::string& scheduler() const noexcept { return scheduler_; }
  std::uint32_t workers() const noexcept { return workers_; }

  /// A new log, of the worker with that number. Throws std::bad_alloc.
  worker_log& add(std::uint32_t number) {
    auto log = std::make_unique<worker_log>(number, std::min(intervals_max, all_intervals_max / std::max(workers_, 1u)),
                                            platform::now_ns());
    worker_log& added = *log;
    const handshake::holding<platform> alone(lock_);
    logs_.push_back(std::move(log));
    return added;
  }

  /// All logs so far. Throws std::bad_alloc.
  std::vector<worker_log*> logs() const {
    std::vector<worker_log*> all;
    const handshake::holding<platform> alone(lock_);
    for (const auto& log : logs_) all.push_back(log.get());
    return all;
  }

 private:
  const std::string kind_;
  const std::string scheduler_;
  const std::uint32_t workers_;
  mutable handshake::spin_lock<platform> lock_;
  std::vector<std::unique_ptr<worker_log>> logs_;
};

}  // namespace leat::inline LEAT_ABI::profile
