// The part of a worker that tells the profile what the worker does (PROFILE-1).
#pragma once

#include <cstdint>
#include <new>

#include "leat/profile/activity.hpp"
#include "leat/profile/runtime_log.hpp"

namespace leat::inline LEAT_ABI::profile {

class worker_times {
 public:
  worker_times() noexcept = default;
  worker_times(const worker_times&) = delete;
  worker_times& operator=(const worker_times&) = delete;
  ~worker_times() {
    if (on()) log_->end();
  }

  /// Whether a profile records the worker.
  bool on() const noexcept { return log_ != nullptr; }

  /// A thread becomes the worker. The first one makes the log, as a worker whose thread cannot be started needs none
  /// (PROFILE-5). Without memory for the log nothing is recorded.
  /// \param worker  its number
  /// \param thread  the number of the calling thread, which is the worker from now on
  void thread_begins(runtime_log& of, std::uint32_t worker, std::uint64_t thread,
                     const worker_log::subject& s) noexcept {
    try {
      if (!on()) log_ = &of.add(worker);
    } catch (const std::bad_alloc&) {
      return;
    }
    log_->thread_is(thread);
    log_->begin(s);
  }

  /// In a forked child, where nothing is recorded, and where the log's lock may be held for ever.
  void forget() noexcept { log_ = nullptr; }

  /// From now on the worker does that. Returns the activity before, so that a nested part can restore it.
  activity change(activity to) noexcept { return on() ? log_->change(to) : to; }

  /// While it lives, the worker does that.
  class during {
   public:
    during(worker_times& of, activity a) noexcept : of_(of), before_(of.change(a)) {}
    during(const during&) = delete;
    during& operator=(const during&) = delete;
    ~during() { of_.change(before_); }

   private:
    worker_times& of_;
    const activity before_;
  };

  /// While it lives, the worker sleeps: in a wait, or idle.
  class asleep : during {
   public:
    explicit asleep(worker_times& of) noexcept
        : during(of, of.on() && of.log_->now() == activity::waiting ? activity::asleep_waiting : activity::asleep) {}
  };

  /// While it lives, the slow way of an operation runs. While a sample is incomplete, the next operation takes it, too.
  class operation {
   public:
    explicit operation(worker_times& of) noexcept : of_(of) {
      if (of_.wants_gaps()) of_.log_->operation_begins();
    }
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    ~operation() {
      if (of_.wants_gaps()) of_.log_->operation_ends();
    }

   private:
    worker_times& of_;
  };
  bool wants_gaps() const noexcept { return on() && log_->wants_gaps(); }

 private:
  worker_log* log_ = nullptr;  // changes on the worker's thread alone
};

}  // namespace leat::inline LEAT_ABI::profile
