// What a profile holds of one worker.
//
// The worker changes it, and the profile's thread reads and samples. Both hold a lock, as the worker may still run when the
// process ends and the profile is written (PROFILE-2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/events/counters.hpp"
#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/platform/order.hpp"
#include "leat/profile/activity.hpp"
#include "leat/profile/gaps.hpp"
#include "leat/profile/intervals.hpp"

namespace leat::inline LEAT_ABI::profile {

class worker_log {
 public:
  using platform = leat::platform::chosen;

  /// How the log reaches its worker, while the worker exists.
  struct subject {
    void* worker;
    counters (*counts)(const void* worker);
    void (*signal)(void* worker);  ///< makes the worker's next operation take its slow way
  };

  /// \throws std::bad_alloc
  worker_log(std::uint32_t number, std::size_t intervals_max, std::uint64_t now_ns)
      : number_(number), times_(intervals_max, activity::outside, now_ns) {}
  worker_log(const worker_log&) = delete;
  worker_log& operator=(const worker_log&) = delete;

  std::uint32_t number() const noexcept { return number_; }

  // -- the worker's

  void begin(const subject& s) noexcept;
  /// The worker ends. Its counts are kept (PROFILE-5).
  void end() noexcept;

  /// The thread with that number is the worker from now on; 0: none is.
  void thread_is(std::uint64_t number) noexcept { thread_.store(number, leat::platform::relaxed); }  // a number

  /// Another activity begins. Returns the one before. About 20 ns.
  activity change(activity to) noexcept;

  bool wants_gaps() const noexcept { return gaps_.wanted(); }
  void operation_begins() noexcept;
  void operation_ends() noexcept;

  // -- the profile's

  /// A hint, which may be old.
  activity now() const noexcept { return shown_.load(leat::platform::relaxed); }
  /// 0: no thread is the worker any more, or none has been yet.
  std::uint64_t thread() const noexcept { return thread_.load(leat::platform::relaxed); }

  /// Takes a sample of the times between operations, if the worker is in a task.
  void sample() noexcept;

  /// Nothing is recorded from now on.
  void close() noexcept;
  /// Ends the interval that is under way. Only after close().
  void end_at(std::uint64_t now_ns) noexcept;

  /// Only after end_at().
  const intervals& times() const noexcept { return times_; }
  const counters& counts() const noexcept { return counts_; }
  const gaps<platform>::buckets& sampled_gaps() const noexcept { return gaps_.read(); }

 private:
  activity change_alone(activity to, std::uint64_t now_ns) noexcept;

  const std::uint32_t number_;
  handshake::spin_lock<platform> lock_;
  subject subject_{};
  intervals times_;
  gaps<platform> gaps_;
  counters counts_;
  bool closed_ = false;  // from then on the profile alone has times_
  platform::atomic<activity> shown_{activity::outside};
  platform::atomic<std::uint64_t> thread_{0};
};

}  // namespace leat::inline LEAT_ABI::profile
