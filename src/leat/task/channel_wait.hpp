// How a thread waits for a channel after it has tried for a short time: its wait stands in a line until it is told. Rules
// CHANNEL-2 to CHANNEL-4: docs/internals/user_channels.md.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/entry/instances.hpp"
#include "leat/task/channel_line.hpp"
#include "leat/task/future_task.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::task {

/// The wait of any thread of the program in a line of a channel, while blocked() is true (CHANNEL-2). Returns when another thread has told the
/// wait, or blocked() was false. Throws std::bad_alloc before it waits, in a green thread that cannot leave its worker.
template <class P, class Blocked>
class channel_wait_in {
 public:
  channel_wait_in(channel_line<P>& line, Blocked blocked) noexcept : line_(line), blocked_(blocked) {}

  [[gnu::noinline]] void wait(task::wait how) {
    if (auto* const me = scheduler::worker<P>::current()) wait_on(*me, how);
    else wait_outside();
  }

 private:
  using worker = scheduler::worker<P>;

  // A worker carries green threads, or waits itself.
  void wait_on(worker& me, task::wait how) {
    mine_.stays = true;
    const scheduler::carried_wait& carried = P::template own<scheduler::carried_wait>();
    if (carried.waits != nullptr) {
      carried.waits(enlist_carried, this);
      if (listed_) mine_.await_done();
      return;
    }
    mine_.who = &me;
    if (!enlist(tell_worker, &mine_)) return;
    const waiting::wait_about about{waiting::wait_kind::channel, nullptr, false, nullptr, nullptr, how != wait::any};
    if (how == wait::any) entry::work_until_told<P>(me, mine_.told, about, {leave_for_task, this});
    else entry::help_until_told<P>(me, mine_.told, nullptr, about, nobody);
    mine_.await_done();
  }

  // No worker: the thread sleeps, and is gone as soon as it is told.
  void wait_outside() {
    if (!enlist(tell_thread, &mine_)) return;
    while (mine_.told.load(platform::acquire) == 0) P::wait(mine_.told, 0);  // acquire: pairs with tell_thread
  }

  bool enlist(scheduler::carried_wait::tell how, void* waiter) noexcept {
    mine_.tells = how;
    mine_.waiter = waiter;
    return listed_ = line_.enlist(mine_, blocked_);
  }

  static bool enlist_carried(void* by, scheduler::carried_wait::tell how, void* waiter) {
    return static_cast<channel_wait_in*>(by)->enlist(how, waiter);
  }

  static void tell_worker(void* waiter) {
    auto& w = *static_cast<channel_wait<P>*>(waiter);
    worker* const who = w.who;
    w.told.store(1, platform::release);  // pairs with told_wait.hpp
    who->notify();  // it stays until `done` (CHANNEL-3)
  }

  static void tell_thread(void* waiter) {
    auto& told = static_cast<channel_wait<P>*>(waiter)->told;
    told.store(1, platform::release);  // pairs with wait_outside
    P::wake_one(told);  // by its address alone: the frame may be gone
  }

  // CHANNEL-2: the wait is over when the task is, and what it was told already is another wait's.
  static void leave_for_task(void* by) {
    auto& here = *static_cast<channel_wait_in*>(by);
    if (!here.line_.leave(here.mine_)) {
      here.mine_.await_done();
      here.line_.tell_one();
    }
    here.mine_.done.store(1, platform::relaxed);  // relaxed, both: no other thread knows the wait any more
    here.mine_.told.store(1, platform::relaxed);
  }

  // There is no worker to ask for the other end's work.
  static std::optional<protocol::worker_id> nobody(const void*) { return std::nullopt; }

  channel_line<P>& line_;
  Blocked blocked_;
  channel_wait<P> mine_;
  bool listed_ = false;
};

}  // namespace leat::inline LEAT_ABI::task
