// The record of a future's task, and the rules FUTURE.
#pragma once

#include <cstdint>

#include "leat/memory/block_cache.hpp"
#include "leat/platform/order.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/task/future_waiter.hpp"
#include "leat/work/record.hpp"

namespace leat::inline LEAT_ABI::task {

/// What a wait may run.
enum class wait : std::uint8_t {
  own,  ///< the awaited task, if no worker has begun it, and else tasks that descend from it
  any,  ///< any task of the run
};

/// The task of a future and the channel of its result, in memory that workers recycle.
///
/// The task has one record, which some worker will come upon, and holders: one future, or shared futures. A holder
/// may run the task itself rather than wait for a worker to come upon it. Rules, cited in the code:
///  FUTURE-1  The thread that turns `taken_` from `nobody` to its own mark runs the task. The mark has its worker's
///      number.
///  FUTURE-2  If that is the worker that came upon the record, the result goes over the channel, and the last user of
///      the channel frees all (rule ONESHOT-3 of docs/internals/channels.md).
///  FUTURE-3  If that is a holder, the record will find nothing to do. The later of the two frees all: the record
///      when a worker comes upon it, or the last holder when it is done with the result. The exchange of `taken_`
///      tells them.
///  FUTURE-4  A single holder whose record is the newest of the caller's own tasks takes it back without a
///      read-modify-write. A future that is got this way has no need of the channel either: the callable's result is
///      the caller's. Why: no other thread can know the record then.
///  FUTURE-5  A future that runs the task is both ends of the channel, and fills it by a store (ONESHOT-6). Shared
///      futures send as the record does: others may wait. If a holder has run the task beneath others, the record is
///      cleared away as soon as it is the newest task again and a future is taken back. Why: a loop that gets many
///      futures in the order in which they were made leaves nothing in the deque.
///  FUTURE-6  A waiter chains itself to the channel (ONESHOT-7) and stays until it is told, not only until the result
///      is there. Holders that share are counted; the last one is the receiver that closes the channel. A waiter
///      chosen to break a circle of waits is not told, but taken out of the chain while no thread can send
///      (DEADLOCK-6, ONESHOT-8). Why: the chain lies in the waiters' frames, and the sender walks along it.
///  FUTURE-7  A task that was submitted from outside is of no run before it begins. A holder that is a worker of the
///      runtime may run it, as part of its own run. Why: it may be the only worker, and a drain comes after it.
///  FUTURE-8  A continuation has no record before it may begin. It waits in the chain of its source, and the worker that sends
///      the result there calls it next, after all waits have been told. A task of when_all or when_any is never called: the last
///      result, or the first, makes its own. Why: no wait comes between, so none can keep the continuation from being executed.
///  FUTURE-9  A worker that waits for such a task runs a source of it that no thread has begun, as a further holder, which
///      it becomes under the gate that the end of the wait for the source takes, too. A part of when_all or when_any is a holder of its source until it is told. Why: it may be the only worker.
///
/// This is the part that does not depend on the type of the result.
template <class P>
class future_record : public work::awaited_task {
 public:
  using worker = scheduler::worker<P>;

  /// The record's part of the task.
  using handle = work::awaited_call;

  future_record(const future_record&) = delete;
  future_record& operator=(const future_record&) = delete;

  /// The scheduler whose workers execute the task; null if it has ended, or several may.
  const void* owner() const noexcept { return home_->owner(); }

  virtual bool is_ready() const noexcept = 0;
  /// Whether no result comes any more, as the task has stayed with the parent of this process.
  bool is_lost() const noexcept { return home_->forked() && !is_ready(); }

  /// A holder's: there is one more.
  void hold() noexcept { holders_.fetch_add(1, platform::relaxed); }  // relaxed: the caller's own count keeps the task

  /// A holder's: it is done with the result.
  virtual void let_go_shared() noexcept = 0;

  /// A holder's: `w` will be told of the result; false: the result is there.
  virtual bool announce(future_waiter& w) noexcept = 0;

  /// A holder's, which waits (FUTURE-9): runs the task, or one that it waits for, on worker `me`, if no thread has begun it and
  /// `me` may. In a loop: a chain of continuations may be long.
  bool begin_for(worker& me) {
    future_record* at = this;
    for (;;) {
      future_record* const source = at->held_source();
      const bool begun = source == nullptr && at->run_for(me);
      if (at != this) at->let_go_shared();
      if (source == nullptr) return begun;
      at = source;
    }
  }

 protected:
  /// \param run  in which a holder may run the task; any_run: in every one of the runtime
  future_record(memory::block_home<P>* home, protocol::run_id run) : home_(home), run_(run) {}
  ~future_record() = default;

  /// FUTURE-9: the one task that this one waits for, of which the caller is a holder from now on; or null.
  virtual future_record* held_source() noexcept { return nullptr; }
  /// Runs the task on worker `me`, or one of several that it waits for.
  virtual bool run_for(worker& me) = 0;

  /// Gives the memory back. The callable has been destroyed.
  virtual void free() noexcept = 0;

  // taken_: one of these, and above them the number of the worker that runs the task. A holder leads from `nobody` to
  // by_holder, and then the record and the last holder make one exchange each, to record_gone or holders_gone.
  static constexpr std::uint32_t nobody = 0;
  static constexpr std::uint32_t by_record = 1;
  static constexpr std::uint32_t by_holder = 2;
  static constexpr std::uint32_t by_holder_alone = 3;  // and there is no record any more
  static constexpr std::uint32_t record_gone = 4;  // after by_holder
  static constexpr std::uint32_t holders_gone = 5;  // after by_holder
  static constexpr std::uint32_t not_yet = 6;  // it waits for others (FUTURE-8)
  static constexpr std::uint32_t state_mask = 7;
  static constexpr unsigned state_bits = 3;

  /// FUTURE-7
  static constexpr protocol::run_id any_run = protocol::no_run;

  static std::uint32_t mark(std::uint32_t state, const worker& who) noexcept { return state | who.id() << state_bits; }

  // Whether the record is the newest of the caller's own tasks, and is now taken back (FUTURE-4). Spent records that
  // lay beneath it are newest by now, and go, too (FUTURE-5).
  bool take_back_record(worker& me) noexcept {
    if (!me.runner.take_back(handle{this})) return false;
    if (me.runner.has_spent_records()) [[unlikely]]
      clear_spent(me);
    return true;
  }

  // The record of a task that a holder has run, or runs: a worker has come upon it. `found` is taken_ as it was.
  void spent(std::uint32_t found) noexcept {
    // acq_rel: pairs with let_go (FUTURE-3).
    if (taken_.exchange(record_gone | (found & ~state_mask), platform::acq_rel) == holders_gone) free();
  }

  memory::block_home<P>* const home_;
  const protocol::run_id run_;
  typename P::template atomic<std::uint32_t> taken_{nobody};
  typename P::template atomic<std::uint32_t> holders_{1};

 private:
  // FUTURE-5: takes spent records off the deque while one is the newest. The note is kept until no task is left, as
  // others may lie beneath.
  [[gnu::noinline]] static void clear_spent(worker& me) noexcept {
    const auto of = [](const handle& h) {
      return static_cast<future_record*>(h.task);
    };  // only futures have such records
    const auto is_spent = [of](const handle& h) {
      return (of(h)->taken_.load(platform::relaxed) & state_mask) != nobody;  // relaxed: spent() acquires
    };
    // It lies in our own deque, so no worker has come upon it: a holder has run the task.
    while (const auto h = me.runner.template take_newest_if<handle>(is_spent))
      of(*h)->spent(of(*h)->taken_.load(platform::relaxed));
    if (!me.runner.has_tasks()) me.runner.note_spent_records(false);
  }
};

}  // namespace leat::inline LEAT_ABI::task
