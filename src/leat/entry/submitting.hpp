// How a thread that is no worker of a scheduler gives it a task. Rules SUBMIT: docs/internals/submit.md.
#pragma once

#include <optional>

#include "leat/memory/block_cache.hpp"
#include "leat/scheduler/shelf.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/work/submission.hpp"

namespace leat::inline LEAT_ABI::entry {

/// The scheduler that a block's home names as its owner.
template <class P>
scheduler::channel_scheduler<P>& scheduler_at(const void* owner) noexcept {
  return *static_cast<scheduler::channel_scheduler<P>*>(const_cast<void*>(owner));
}

/// While it lives, the scheduler is not destroyed (SUBMIT-5).
template <class P>
class submitting {
 public:
  /// \throws forked_process in a forked child; std::bad_alloc;
  ///         std::system_error if a thread is needed and cannot be started
  explicit submitting(scheduler::channel_scheduler<P>& to);
  submitting(const submitting&) = delete;
  submitting& operator=(const submitting&) = delete;
  ~submitting();

  /// Whether the scheduler is being destroyed, and takes no task.
  bool closed() const noexcept;

  /// For the task's memory.
  memory::block_cache<P>& blocks() noexcept { return shelf_ != nullptr ? *shelf_->blocks : *own_; }

  /// SUBMIT-1: the task will be executed; or false, as the scheduler is being destroyed.
  [[nodiscard]] bool put(work::submission<P>& s);

 private:
  scheduler::channel_scheduler<P>& to_;
  scheduler::shelf<P>* const shelf_;
  std::optional<memory::block_cache<P>> own_;
};

}  // namespace leat::inline LEAT_ABI::entry
