// The task of a future, and the channel over which its result comes (thesis 4.3.1).
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/channel/one_shot.hpp"
#include "leat/entry/told_wait.hpp"
#include "leat/memory/block_cache.hpp"
#include "leat/task/invoke.hpp"
#include "leat/task/outcome.hpp"
#include "leat/task/spawn.hpp"

namespace leat::task {

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

 protected:
  explicit future_record(worker& maker) : home_(maker.blocks.home()), run_(maker.runner.run_id()) {}
  ~future_record() = default;

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
  static constexpr std::uint32_t state_mask = 7;
  static constexpr unsigned state_bits = 3;

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

/// The part that knows the type of the result. Thread safety: one future, or shared futures on several threads, and
/// the worker that runs the task.
template <class P, class T>
class future_task : public future_record<P> {
 public:
  using result_channel = channels::one_shot<P, outcome<T>>;
  using typename future_record<P>::worker;

  bool ready() const noexcept { return result_.ready(); }

  /// A holder's: waits until the result is there; runs the task, or whatever `how` allows, meanwhile.
  /// \param shared  there may be other holders, or come to be
  /// \throws not_a_worker; deadlock, if the task waits for the caller's wait, and then nothing has changed
  [[gnu::noinline]] void wait(task::wait how, bool shared) {
    if (ready()) return;
    auto& me = this_worker<P>("future::wait");
    if (run_here(me, shared)) return;
    if (&me.home != home_->owner()) return wait_abroad(me);
    // Checked before the announcement: a wait for a task beneath the caller is told by that task alone, so never.
    if (is_begun_by(me)) throw_waits_for_itself("future::wait", me.id(), "the future's task waits for the future");
    // In this frame until it is told (FUTURE-6). Without an announcement the result is there.
    waiter here{&me, &result_};
    if (!result_.announce_among(&here)) return;
    const waiting::wait_about about{waiting::wait_kind::future,      target(), true, withdraw, &here,
                                    shared && how != task::wait::any};
    // Three ways: any task of the worker's run; or tasks that descend from this one, from the worker that runs it;
    // or, for a task of another run, only requests, as that run's tasks must not be executed in this one.
    std::uint32_t circle = 0;
    if (how == task::wait::any) circle = entry::work_until_told<P>(me, here.told, about, {});
    else if (me.runner.run_id() == run_) circle = entry::help_until_told<P>(me, here.told, target(), about, runner);
    else circle = entry::help_until_told<P>(me, here.told, nullptr, about, nobody_known);
    if (circle != 0) throw_deadlock("future::wait", me.id(), circle);
  }

  /// The future's, if it is not shared: whether `me` may now call get_here, having taken the task back (FUTURE-4).
  bool take_back(worker& me) noexcept {
    // relaxed: if the record is ours alone, no other thread has written it; if not, take_back_record finds another.
    return taken_.load(platform::relaxed) == nobody && this->take_back_record(me);
  }

  /// After take_back: calls the callable, gives its result or what it throws, and frees all.
  virtual T get_here(worker& me) = 0;

  /// The future's, when ready: takes the result, and lets go after that has been moved out.
  /// \throws the exception that the task let out
  [[gnu::noinline]] T take() {
    struct end {
      future_task& task;
      ~end() { task.let_go(); }
    };
    const end after{*this};  // also when the outcome is an exception
    return (*result_.try_receive()).take();
  }

  /// Any holder's, when ready.
  const outcome<T>& look() noexcept { return result_.message(); }

  /// A holder's: there is one more.
  void hold() noexcept { holders_.fetch_add(1, platform::relaxed); }  // relaxed: the caller's own count keeps the task

  /// A sharing holder's: it is done with the result. The last holder sees 1, which no other thread can raise: only a
  /// holder makes more.
  void let_go_shared() noexcept {
    // acquire, and release in the other holders' subtraction: what they did with the result happens before it is dropped.
    if (holders_.load(platform::acquire) == 1 || holders_.fetch_sub(1, platform::acq_rel) == 1) let_go();
  }

  /// The future's, or the last sharing holder's: it is done with the result, which has been taken or is to be
  /// dropped. Whether the memory is free depends on the record: gone, in a deque still (by_holder), or the other end
  /// of the channel, which close() tells.
  void let_go() noexcept {
    // acquire: pairs with the exchange in come_upon, which may have left record_gone.
    const std::uint32_t taken = taken_.load(platform::acquire) & state_mask;
    if (taken == by_holder) {
      // acq_rel: pairs with the exchange in come_upon; the other's last access happens before we free (FUTURE-3).
      if ((taken_.exchange(holders_gone, platform::acq_rel) & state_mask) == record_gone) this->free();
    } else if (taken == record_gone || taken == by_holder_alone || result_.close()) {
      this->free();
    }
  }

 protected:
  explicit future_task(worker& maker) : future_record<P>(maker) {}
  ~future_task() = default;

  /// Calls the callable and destroys it. Once, by the thread that FUTURE-1 has chosen.
  virtual outcome<T> call() noexcept = 0;

  using future_record<P>::home_;

 private:
  using record = future_record<P>;
  using record::by_holder, record::by_holder_alone, record::by_record, record::holders_gone, record::nobody;
  using record::holders_, record::mark, record::record_gone, record::run_, record::state_bits, record::state_mask;
  using record::taken_;

  // A waiter in the chain of the channel. It is gone as soon as `told` is set.
  struct waiter {
    worker* who;
    result_channel* on;
    waiter* next = nullptr;
    typename P::template atomic<std::uint32_t> told{0};
  };

  static constexpr std::uint64_t foreign_poll_ns = 50'000;  // between two polls for another runtime's result

  // The join target: ancestor scopes name it on workers that execute the task, and leapfrog requests ask for it.
  const void* target() const noexcept { return this; }

  // The worker that runs the task with this target, if one is known.
  static std::optional<protocol::worker_id> runner(const void* target) {
    // relaxed: a hint at the worker to ask, and nothing is read because of it
    const std::uint32_t taken = static_cast<const future_task*>(target)->taken_.load(platform::relaxed);
    if ((taken & state_mask) == nobody) return std::nullopt;
    return taken >> state_bits;
  }

  // For a wait in another run: the descendants of the task are of that run, and not for us.
  static std::optional<protocol::worker_id> nobody_known(const void*) { return std::nullopt; }

  // Waits for a task of another runtime, by polling: that runtime's workers must not be told of this waiter, as its
  // runtime may be gone when they come to wake it.
  [[gnu::noinline, gnu::cold]] void wait_abroad(worker& me) {
    std::optional<waiting::long_wait<P>> listed;
    while (!ready()) {
      me.waiter.list_if_reported(listed, waiting::wait_kind::foreign_future);
      me.poll();
      P::sleep_ns(foreign_poll_ns);
    }
    me.waiter.end_listed(listed);
  }

  // Whether worker `me`, which calls and finds no result, has begun the task: it lies beneath the caller then
  // (DEADLOCK-2).
  bool is_begun_by(const worker& me) const noexcept {
    const std::uint32_t taken =
        taken_.load(platform::relaxed);  // relaxed: a mark of this worker is one that this thread wrote
    return (taken & state_mask) != nobody && taken >> state_bits == me.id();
  }

  // DEADLOCK-6
  static void withdraw(void* waiting) noexcept {
    auto* const w = static_cast<waiter*>(waiting);
    w->on->withdraw(w);
  }

  // A holder's: runs the task here and now, if no other thread does. Then the result is there.
  bool run_here(worker& me, bool shared) {
    // In another run the task would outlive its own, which ends when its record finds nothing to do.
    if (&me.home != home_->owner() || me.runner.run_id() != run_) return false;
    // Never for a shared one, even if this is the only holder: several threads may wait by one shared future.
    if (!shared && take_back(me)) {
      taken_.store(mark(by_holder_alone, me), platform::relaxed);  // FUTURE-4; relaxed: no other thread reads it
    } else {
      std::uint32_t none = nobody;
      // acquire: pairs with the making of the task. relaxed failure: ready() acquires the result.
      if (!taken_.compare_exchange_strong(none, mark(by_holder, me), platform::acquire, platform::relaxed)) {
        return false;  // FUTURE-1
      }
      // The record stays where it lies, which may be in this worker's deque (FUTURE-5).
      me.runner.note_spent_records(true);
    }
    if (!shared) {
      me.runner.call_as_task_of(nullptr, [this] { result_.fill(call()); });  // FUTURE-5
    } else {
      tell(result_.try_send(call_for(me)).waiter);
    }
    return true;
  }

  // The record's (FUTURE-2, FUTURE-3): by a worker that takes it from a deque, or executes it in a wait.
  void come_upon() noexcept override {
    worker& me = *worker::current();
    std::uint32_t found = nobody;
    // acquire: as in run_here. On failure acq_rel follows.
    if (taken_.compare_exchange_strong(found, mark(by_record, me), platform::acquire, platform::relaxed)) {
      const channels::one_shot_sent s = result_.try_send(call_for(me));
      // From here on `this` may be gone: the receiver owns all, unless it went first (FUTURE-2).
      if (s.result == channels::sent::closed) this->free();
      else tell(s.waiter);
    } else {
      this->spent(found);
    }
  }

  // Calls the callable where other workers may wait for it: inside an ancestor scope, as tasks that it leaves in our
  // deque descend from it. It is of no group: the one that its waiter is in may be another's.
  outcome<T> call_for(worker& me) noexcept {
    scheduler::ancestor_scope<P> e(me, target());
    return me.runner.call_as_task_of(nullptr, [this] { return call(); });
  }

  // Wakes the waiters of the chain. As soon as one is told, it may be gone, and the channel with it (FUTURE-6). So
  // `next` and `who` are read before `told` is set, and nothing of the task is read at all.
  static void tell(std::uintptr_t waiters) noexcept {
    for (auto* w = reinterpret_cast<waiter*>(waiters); w != nullptr;) {
      waiter* const next = w->next;
      worker* const who = w->who;
      w->told.store(1, platform::release);  // pairs with told_wait.hpp
      who->notify();
      w = next;
    }
  }

  result_channel result_;
};

/// A future task with its callable, which is called once, as an rvalue. One block of memory holds all: about 200
/// bytes are recycled without an allocation.
template <class P, class T, class F>
class future_task_of final : public future_task<P, T> {
 public:
  using worker = scheduler::worker<P>;

  /// Makes the task in a block of the worker's cache.
  /// \throws what making the callable of `parts` throws, and std::bad_alloc; then nothing is left
  template <class... Parts>
  static future_task_of* make(worker& me, Parts&&... parts) {
    const typename scheduler::footing<P>::knowing worker_here(me);
    auto& blocks = me.blocks;
    void* block = blocks.template allocate<future_task_of>();
    try {
      return ::new (block) future_task_of(me, std::forward<Parts>(parts)...);
    } catch (...) {
      blocks.template release<future_task_of>(block, blocks.home());
      throw;
    }
  }

  ~future_task_of() {}  // NOLINT(modernize-use-equals-default): of a union

  /// Instead of spawning it: destroys the callable uncalled and frees all.
  void drop() noexcept {
    callable_.~F();
    free();
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
    return me.runner.call_as_task_of(nullptr, [this]() -> T { return task::invoke(std::move(callable_)); });
  }

 protected:
  outcome<T> call() noexcept override {
    auto result = outcome<T>::of([this]() -> T { return task::invoke(std::move(callable_)); });
    // Before the result is known: what the callable holds must not outlive the wait for it.
    callable_.~F();
    return result;
  }

  void free() noexcept override {
    // Read first: it lies in the object, which ends before its memory is given back.
    memory::block_home<P>* const home = this->home_;
    this->~future_task_of();
    worker::template recycle<future_task_of>(this, home);
  }

 private:
  template <class... Parts>
  explicit future_task_of(worker& maker, Parts&&... parts)
      : future_task<P, T>(maker), callable_(std::forward<Parts>(parts)...) {}

  // A union: the callable ends before the task does, in call(), drop() or get_here().
  union {
    F callable_;
  };
};

}  // namespace leat::task
