// The task of a future with its callable.
#pragma once

#include <new>
#include <utility>

#include "leat/memory/block_cache.hpp"
#include "leat/scheduler/footing.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/future_task.hpp"
#include "leat/task/invoke.hpp"
#include "leat/work/record.hpp"

namespace leat::inline LEAT_ABI::task {

/// What a task of a run has besides.
struct no_submission {
  explicit no_submission(work::awaited_task&) noexcept {}
};

/// A future task with its callable, which is called once, as an rvalue. One block of memory holds all: about 200
/// bytes are recycled without an allocation.
/// \tparam Way  no_submission, or work::submission: how it comes to a worker
template <class P, class T, class F, class Way = no_submission>
class future_task_of : public future_task<P, T>, public Way {
 public:
  using worker = scheduler::worker<P>;
  using typename future_task<P, T>::task_scope;

  /// Makes the task in a block of the worker's cache.
  /// \throws what making the callable of `parts` throws, and std::bad_alloc; then nothing is left
  template <class... Parts>
  static future_task_of* make(worker& me, Parts&&... parts) {
    const typename scheduler::footing<P>::knowing worker_here(me);
    return make_in(me.blocks, me.runner.run_id(), std::forward<Parts>(parts)...);
  }

  /// The same in a block of `blocks`, for a run, or any_run.
  template <class... Parts>
  static future_task_of* make_in(memory::block_cache<P>& blocks, protocol::run_id run, Parts&&... parts) {
    return make_of<future_task_of>(blocks, run, std::forward<Parts>(parts)...);
  }

  /// The same for a class that is made of this one, and adds no members.
  template <class Task, class... Parts>
  static Task* make_of(memory::block_cache<P>& blocks, Parts&&... parts) {
    static_assert(sizeof(Task) == sizeof(future_task_of), "free() knows this size");
    void* block = blocks.template allocate<future_task_of>();
    try {
      return ::new (block) Task(blocks.home(), std::forward<Parts>(parts)...);
    } catch (...) {
      blocks.template release<future_task_of>(block, blocks.home());
      throw;
    }
  }

  ~future_task_of() {}  // NOLINT(modernize-use-equals-default): of a union

  using future_task<P, T>::any_run;

  /// Instead of spawning it: destroys the callable uncalled and frees all.
  void drop() noexcept {
    callable_.~F();
    this->free();
  }

  // FUTURE-4: after take_back no other thread knows the task. `end` runs when the result has been made for the
  // caller.
  T get_here(worker& me) override {
    struct end {
      future_task_of& task;
      ~end() {
        task.callable_.~F();  // first: it may call anything, and leave the worker
        // Nothing else needs to be destroyed: the channel was never used.
        worker::template recycle<future_task_of>(&task, task.home_);
      }
    };
    const end after{*this};
    const task_scope in_task(me.runner, nullptr);
    if constexpr (strands::profiles<P>) {
      const strands::executing_future<P> here(this->part(), true);
      return task::invoke(std::move(callable_));
    } else {
      return task::invoke(std::move(callable_));
    }
  }

 protected:
  outcome<T> call() noexcept override {
    if constexpr (strands::profiles<P>) {
      const strands::executing_future<P> here(this->part(), false);
      return call_here();
    } else {
      return call_here();
    }
  }

  [[gnu::always_inline]] outcome<T> call_here() noexcept {
    auto result = outcome<T>::of([this]() -> T { return task::invoke(std::move(callable_)); });
    // Before the result is known: what the callable holds must not outlive the wait for it.
    callable_.~F();
    return result;
  }

  void free() noexcept override {
    // Read first: it lies in the object, which ends before its memory is given back.
    memory::block_home<P>* const home = this->home_;
    this->future_task_of::~future_task_of();
    worker::template recycle<future_task_of>(this, home);
  }

  template <class... Parts>
  future_task_of(memory::block_home<P>* home, protocol::run_id run, Parts&&... parts)
      : future_task<P, T>(home, run),
        Way(*static_cast<work::awaited_task*>(this)),
        callable_(std::forward<Parts>(parts)...) {}

 private:
  // A union: the callable ends before the task does, in call(), drop() or get_here().
  union {
    F callable_;
  };
};

}  // namespace leat::inline LEAT_ABI::task
