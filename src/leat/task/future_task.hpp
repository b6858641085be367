// The task of a future, and the channel over which its result comes (thesis 4.3.1).
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/channel/one_shot.hpp"
#include "leat/memory/block_cache.hpp"
#include "leat/scheduler/told_wait.hpp"
#include "leat/task/invoke.hpp"
#include "leat/task/outcome.hpp"
#include "leat/task/spawn.hpp"

namespace leat::task {

/// What a wait may run.
enum class wait : std::uint8_t {
  own,  ///< the task that is waited for, if nobody has begun it, and else what descends from it
  any,  ///< any task of the run
};

/// The task of a future and the channel of its result, in memory that workers recycle.
///
/// The task has one record, which some worker will come upon, and holders: one future, or shared futures. A holder may run
/// the task itself rather than wait for somebody to come upon it. Rules, cited in the code:
///  FUTURE-1  Who turns `taken_` from `nobody` to its own mark runs the task. The mark says which worker that is.
///  FUTURE-2  If that is the record, the result goes over the channel, and the last user of the channel frees all (rule
///      ONESHOT-3 of docs/internals/channels.md).
///  FUTURE-3  If that is a holder, the record will find nothing to do. The later of the two, the record when it is come
///      upon and the last holder when it is done with the result, frees all; the exchange of `taken_` tells them.
///  FUTURE-4  A single holder whose record is the newest of the caller's own tasks takes it back: nobody else can know
///      the record then, and no read-modify-write is needed. A future that is got this way has no need of the channel
///      either: the callable's result is the caller's.
///  FUTURE-5  A future that runs the task is both ends of the channel, and fills it by a store (ONESHOT-6). Shared
///      futures send as the record does: others may wait.
///      What its record leaves behind, when a holder has run the task beneath others, is cleared away as soon as it is the
///      newest of the tasks again and a future is taken back: a loop that gets many futures in the order in which they
///      were made leaves nothing in the deque.
///  FUTURE-6  Who waits chains itself to the channel (ONESHOT-7) and stays until it is told, not only until the result
///      is there. Holders that share are counted; the last one to go is the receiver that closes the channel. A waiter
///      that is chosen to break a circle of waits is not told: it is taken out of the chain while nobody can send
///      (DEADLOCK-6, ONESHOT-8).
///
/// This is what is the same for all results.
template <class P>
class future_record : public scheduler::awaited_task {
 public:
  using worker = scheduler::worker<P>;

  /// The record's part of the task.
  using handle = scheduler::awaited_call;

  future_record(const future_record&) = delete;
  future_record& operator=(const future_record&) = delete;

 protected:
  explicit future_record(worker& maker) : home_(maker.blocks.home()), run_(maker.runner.run_id()) {}
  ~future_record() = default;

  /// Gives the memory back. The callable has been destroyed.
  virtual void free() noexcept = 0;

  // taken_: one of these, and above them the number of the worker that runs the task.
  static constexpr std::uint32_t nobody = 0;
  static constexpr std::uint32_t by_record = 1;
  static constexpr std::uint32_t by_holder = 2;
  static constexpr std::uint32_t by_holder_alone = 3;  // and there is no record any more
  static constexpr std::uint32_t record_gone = 4;  // after by_holder
  static constexpr std::uint32_t holders_gone = 5;  // after by_holder
  static constexpr std::uint32_t state_mask = 7;
  static constexpr unsigned state_bits = 3;

  static std::uint32_t mark(std::uint32_t state, const worker& who) noexcept { return state | who.id() << state_bits; }

  // Whether the record is the newest of the caller's own tasks, and is now taken back (FUTURE-4).
  bool take_back_record(worker& me) noexcept {
    if (!me.runner.take_back(handle{this})) return false;
    if (me.runner.has_spent_records()) [[unlikely]]
      clear_spent(me);
    return true;
  }

  // The record of a task that a holder has run, or runs.
  void spent(std::uint32_t found) noexcept {
    // acq_rel: pairs with let_go (FUTURE-3).
    if (taken_.exchange(record_gone | (found & ~state_mask), platform::acq_rel) == holders_gone) free();
  }

  memory::block_home<P>* const home_;
  const protocol::run_id run_;
  typename P::template atomic<std::uint32_t> taken_{nobody};
  typename P::template atomic<std::uint32_t> holders_{1};

 private:
  [[gnu::noinline]] static void clear_spent(worker& me) noexcept {
    const auto of = [](const handle& h) {
      return static_cast<future_record*>(h.task);
    };  // only futures have such records
    const auto is_spent = [of](const handle& h) {
      return (of(h)->taken_.load(platform::relaxed) & state_mask) != nobody;  // relaxed: spent() acquires
    };
    // In our own deque, so not taken by the record: it has been by a holder.
    while (const auto h = me.runner.template take_newest_if<handle>(is_spent))
      of(*h)->spent(of(*h)->taken_.load(platform::relaxed));
    if (!me.runner.has_tasks()) me.runner.note_spent_records(false);
  }
};

/// The part that knows the result.
template <class P, class T>
class future_task : public future_record<P> {
 public:
  using result_channel = channel::one_shot<P, outcome<T>>;
  using typename future_record<P>::worker;

  bool ready() const noexcept { return result_.ready(); }

  /// A holder's: waits until the result is there; runs the task, or what `how` allows, meanwhile. `shared`: there may be
  /// other holders, or come to be.
  [[gnu::noinline]] void wait(task::wait how, bool shared) {
    if (ready()) return;
    auto& me = this_worker<P>("future::wait");
    if (run_here(me, shared)) return;
    if (&me.home != home_->owner()) return wait_abroad(me);
    if (is_begun_by(me)) throw_waits_for_itself("future::wait", me.id(), "the future's task waits for the future");
    waiter here{&me, &result_};
    if (!result_.announce_among(&here)) return;
    const scheduler::wait_about about{scheduler::wait_kind::future, target(), true, withdraw, &here};
    std::uint32_t circle = 0;
    if (how == task::wait::any) circle = scheduler::work_until_told<P>(me, here.told, about);
    else if (me.runner.run_id() == run_) circle = scheduler::help_until_told<P>(me, here.told, target(), about, runner);
    else circle = scheduler::help_until_told<P>(me, here.told, nullptr, about, nobody_known);
    if (circle != 0) throw_deadlock("future::wait", me.id(), circle);
  }

  /// The future's, if nobody shares it: whether `me` may now call get_here, having taken the task back (FUTURE-4).
  bool take_back(worker& me) noexcept {
    // relaxed: if the record is ours alone, nobody else has written it.
    return taken_.load(platform::relaxed) == nobody && this->take_back_record(me);
  }

  /// After take_back: calls the callable, gives its result or what it throws, and frees all.
  virtual T get_here(worker& me) = 0;

  /// The future's, when ready: takes the result, and lets go.
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
  void hold() noexcept { holders_.fetch_add(1, platform::relaxed); }  // relaxed: we hold it, so it stays

  /// A sharing holder's: it is done with the result.
  void let_go_shared() noexcept {
    // acquire, and release in the other holders' subtraction: what they did with the result happens before it is dropped.
    if (holders_.load(platform::acquire) == 1 || holders_.fetch_sub(1, platform::acq_rel) == 1) let_go();
  }

  /// The future's, or the last sharing holder's: it is done with the result, which has been taken or is to be dropped.
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

  /// Calls the callable and destroys it.
  virtual outcome<T> call() noexcept = 0;

  using future_record<P>::home_;

 private:
  using record = future_record<P>;
  using record::by_holder, record::by_holder_alone, record::by_record, record::holders_gone, record::nobody;
  using record::holders_, record::mark, record::record_gone, record::run_, record::state_bits, record::state_mask;
  using record::taken_;

  struct waiter {
    worker* who;
    result_channel* on;
    waiter* next = nullptr;
    typename P::template atomic<std::uint32_t> told{0};
  };

  static constexpr std::uint64_t foreign_poll_ns = 50'000;  // between two polls for another runtime's result

  // What those who execute for us, and those who help us, know us by.
  const void* target() const noexcept { return this; }

  // Who runs the task with this target, as far as that is known.
  static std::optional<protocol::worker_id> runner(const void* target) {
    // relaxed: whom to ask, and nothing is read because of it
    const std::uint32_t taken = static_cast<const future_task*>(target)->taken_.load(platform::relaxed);
    if ((taken & state_mask) == nobody) return std::nullopt;
    return taken >> state_bits;
  }

  // For a wait in another run: what the task's descendants are is not for us.
  static std::optional<protocol::worker_id> nobody_known(const void*) { return std::nullopt; }

  // The other runtime must not be told of us: we may be gone when it comes to wake us.
  [[gnu::noinline, gnu::cold]] void wait_abroad(worker& me) {
    std::optional<scheduler::long_wait<P>> listed;
    while (!ready()) {
      me.waiter.list_if_reported(listed, scheduler::wait_kind::foreign_future);
      me.poll();
      P::sleep_ns(foreign_poll_ns);
    }
    me.waiter.end_listed(listed);
  }

  // Whether worker `me`, which calls and finds no result, has begun the task: it lies beneath the caller then
  // (DEADLOCK-2).
  bool is_begun_by(const worker& me) const noexcept {
    const std::uint32_t taken =
        taken_.load(platform::relaxed);  // relaxed: what the caller itself has written, or another
    return (taken & state_mask) != nobody && taken >> state_bits == me.id();
  }

  // DEADLOCK-6
  static void withdraw(void* waiting) noexcept {
    auto* const w = static_cast<waiter*>(waiting);
    w->on->withdraw(w);
  }

  // A holder's: runs the task here and now, if nobody else does. Then the result is there.
  bool run_here(worker& me, bool shared) {
    // In another run the task would outlive its own, which ends when its record finds nothing to do.
    if (&me.home != home_->owner() || me.runner.run_id() != run_) return false;
    // Not for a shared one, whatever its number of holders: several threads may wait by one of them.
    if (!shared && take_back(me)) {
      taken_.store(mark(by_holder_alone, me), platform::relaxed);  // FUTURE-4; relaxed: no other thread reads it
    } else {
      std::uint32_t none = nobody;
      // acquire: pairs with the making of the task. relaxed failure: ready() acquires the result.
      if (!taken_.compare_exchange_strong(none, mark(by_holder, me), platform::acquire, platform::relaxed)) {
        return false;  // FUTURE-1
      }
      me.runner.note_spent_records(true);
    }
    if (!shared) {
      me.runner.call_as_task_of(nullptr, [this] { result_.fill(call()); });  // FUTURE-5
    } else {
      tell(result_.try_send(call_for(me)).waiter);
    }
    return true;
  }

  void come_upon() noexcept override {
    worker& me = *worker::current();
    std::uint32_t found = nobody;
    // acquire: as in run_here. On failure acq_rel follows.
    if (taken_.compare_exchange_strong(found, mark(by_record, me), platform::acquire, platform::relaxed)) {
      const channel::one_shot_sent s = result_.try_send(call_for(me));
      // From here on all is the receiver's, unless that has gone (FUTURE-2).
      if (s.result == channel::sent::closed) this->free();
      else tell(s.waiter);
    } else {
      this->spent(found);
    }
  }

  // Others may wait for it: what it leaves in our deque descends from it. It is of no group: the one that its waiter is in
  // may be another's.
  outcome<T> call_for(worker& me) noexcept {
    scheduler::ancestor_scope<P> e(me, target());
    return me.runner.call_as_task_of(nullptr, [this] { return call(); });
  }

  // Wakes those who wait, who may be gone, with the channel and all, as soon as they are told (FUTURE-6).
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

/// A future task with its callable, which is called once, as an rvalue.
template <class P, class T, class F>
class future_task_of final : public future_task<P, T> {
 public:
  using worker = scheduler::worker<P>;

  /// Throws what making the callable of `parts` throws, and std::bad_alloc.
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

  T get_here(worker& me) override {
    struct end {
      future_task_of& task;
      ~end() {
        task.callable_.~F();  // which may leave the worker
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
    memory::block_home<P>* const home = this->home_;
    this->~future_task_of();
    worker::template recycle<future_task_of>(this, home);
  }

 private:
  template <class... Parts>
  explicit future_task_of(worker& maker, Parts&&... parts)
      : future_task<P, T>(maker), callable_(std::forward<Parts>(parts)...) {}

  union {
    F callable_;
  };
};

}  // namespace leat::task
