// The task of a future, and the channel over which its result comes (thesis 4.3.1). Rules FUTURE: future_record.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "leat/channel/one_shot.hpp"
#include "leat/entry/instances.hpp"
#include "leat/entry/told_wait.hpp"
#include "leat/handshake/proxies.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/errors.hpp"
#include "leat/task/future_record.hpp"
#include "leat/task/future_waiter.hpp"
#include "leat/task/outcome.hpp"

namespace leat::inline LEAT_ABI::task {

/// The part that knows the type of the result. Thread safety: one future, or shared futures on several threads, and
/// the worker that runs the task.
template <class P, class T>
class future_task : public future_record<P> {
 public:
  using result_channel = channels::one_shot<P, outcome<T>>;
  using typename future_record<P>::worker;
  using task_scope = typename decltype(worker::runner)::task_scope;

  bool is_ready() const noexcept final { return result_.ready(); }

  /// A holder's: waits until the result is there; runs the task, or whatever `how` allows, meanwhile.
  /// \param shared  there may be other holders, or come to be
  /// \throws not_a_worker; deadlock, if the task waits for the caller's wait, and then nothing has changed
  [[gnu::noinline]] void wait(task::wait how, bool shared) {
    if (is_ready()) return;
    worker* const here_is = worker::current();
    if (here_is == nullptr) return wait_outside();
    worker& me = *here_is;
    if (run_here(me, shared)) return;
    while (waits_for_others() && this->begin_for(me)) {
      if (is_ready()) return;
    }
    if (&me.home != home_->owner()) return wait_abroad(me);
    // Checked before the announcement: a wait for a task beneath the caller is told by that task alone, so never.
    if (is_begun_by(me)) throw_waits_for_itself("future::wait", me.id(), "the future's task waits for the future");
    // In this frame until it is told (FUTURE-6). Without an announcement the result is there.
    waiting_worker here{{nullptr, tell_worker}, &me, &result_};
    if (!result_.announce_among(static_cast<waiter*>(&here))) return;
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
    // FUTURE-9: a part of when_any may be a holder, and know the channel. acquire: pairs with let_go_shared, by which it goes.
    if (holders_.load(platform::acquire) != 1) return false;
    // relaxed: if the record is ours alone, no other thread has written it; if not, take_back_record finds another.
    return taken_.load(platform::relaxed) == nobody && this->take_back_record(me);
  }

  /// After take_back: calls the callable, gives its result or what it throws, and frees all.
  virtual T get_here(worker& me) = 0;

  /// A holder's: the same for `ns` nanoseconds at most, but for the task, if it runs that. Returns whether the result is there.
  [[gnu::noinline]] bool wait_for_ns(std::uint64_t ns, bool shared) {
    if (is_ready()) return true;
    if (home_->forked()) throw_forked_future();
    worker* const me = worker::current();
    if (me != nullptr && run_here(*me, shared)) return true;
    const std::uint64_t since = P::now_ns();
    for (;;) {
      if (is_ready()) return true;
      if (me != nullptr && waits_for_others() && this->begin_for(*me)) continue;
      const std::uint64_t waited = P::now_ns() - since;
      if (waited >= ns) return false;
      if (me != nullptr) me->poll();
      const std::uint64_t nap = std::clamp(waited / nap_part, nap_ns_min, me == nullptr ? nap_ns_max : foreign_poll_ns);
      P::sleep_ns(std::min(nap, ns - waited));
    }
  }

  /// The future's, when ready: takes the result, and lets go after that has been moved out.
  /// \throws the exception that the task let out
  [[gnu::noinline]] T take() {
    struct end {
      future_task& task;
      ~end() { task.let_go_shared(); }  // FUTURE-9: there may be another holder for a moment
    };
    const end after{*this};  // also when the outcome is an exception
    return (*result_.try_receive()).take();
  }

  /// Any holder's, when ready.
  const outcome<T>& look() noexcept { return result_.message(); }

  /// What is measured of the task.
  strands::future_part<P>& part() noexcept { return part_; }

  bool announce(future_waiter& w) noexcept override { return result_.announce_among(&w); }
  /// A sharing holder's: it is done with the result. The last holder sees 1, which no other thread can raise: only a
  /// holder makes more.
  void let_go_shared() noexcept override {
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
  future_task(memory::block_home<P>* home, protocol::run_id run) : future_record<P>(home, run) {}
  ~future_task() = default;

  /// Calls the callable and destroys it. Once, by the thread that FUTURE-1 has chosen.
  virtual outcome<T> call() noexcept = 0;

  using future_record<P>::home_, future_record<P>::taken_;

  bool run_for(worker& me) override { return run_here(me, true); }

  /// FUTURE-8: for a task that has no record. Calls it on worker `me`, and returns the chain of those that are to be told.
  std::uintptr_t call_now(worker& me) noexcept {
    taken_.store(record::mark(record::by_record, me), platform::relaxed);  // relaxed: a hint, as it is for runner
    return send(call_for(me));
  }

  /// The same on a thread that is no worker, or where nothing is called.
  std::uintptr_t send(outcome<T>&& result) noexcept {
    const channels::one_shot_sent s = result_.try_send(std::move(result));
    if (s.result != channels::sent::closed) return s.waiter;
    this->free();
    return 0;
  }

  /// From now on the task is one of those that wait for others; or, before a record of it is made, no more.
  void set_waits(bool for_others) noexcept {
    // release: pairs with the acquire in run_here and come_upon
    taken_.store(for_others ? record::not_yet : record::nobody, platform::release);
  }

 private:
  using record = future_record<P>;
  using record::by_holder, record::by_holder_alone, record::by_record, record::holders_gone, record::nobody;
  using record::holders_, record::mark, record::record_gone, record::run_, record::state_bits, record::state_mask;

  using waiter = future_waiter;

  // In its frame, which is gone as soon as `told` is set.
  struct waiting_worker : waiter {
    worker* who;
    result_channel* on;
    typename P::template atomic<std::uint32_t> told{0};
  };
  struct waiting_thread : waiter {
    typename P::template atomic<std::uint32_t> told{0};
  };

  static constexpr std::uint64_t foreign_poll_ns = 50'000;  // between two polls for another runtime's result
  // A wait with a limit sleeps for this part of the time that it has lasted, within these bounds.
  static constexpr std::uint64_t nap_part = 8, nap_ns_min = 20'000, nap_ns_max = 1'000'000;

  bool waits_for_others() const noexcept {
    return (taken_.load(platform::relaxed) & state_mask) == record::not_yet;  // relaxed: begin_for decides
  }

  // The join target: ancestor scopes name it on workers that execute the task, and leapfrog requests ask for it.
  const void* target() const noexcept { return this; }

  // Whether some thread has begun the task.
  static bool is_begun(std::uint32_t taken) noexcept {
    return (taken & state_mask) != nobody && (taken & state_mask) != record::not_yet;
  }

  // The worker that runs the task with this target, if one is known.
  static std::optional<protocol::worker_id> runner(const void* target) {
    // relaxed: a hint at the worker to ask, and nothing is read because of it
    const std::uint32_t taken = static_cast<const future_task*>(target)->taken_.load(platform::relaxed);
    if (!is_begun(taken)) return std::nullopt;
    return taken >> state_bits;
  }

  // For a wait in another run: the descendants of the task are of that run, and not for us.
  static std::optional<protocol::worker_id> nobody_known(const void*) { return std::nullopt; }

  // Waits for a task of another runtime, by polling: that runtime's workers must not be told of this waiter, as its
  // runtime may be gone when they come to wake it.
  [[gnu::noinline, gnu::cold]] void wait_abroad(worker& me) {
    if (home_->forked()) throw_forked_future();
    std::optional<waiting::long_wait<P>> listed;
    while (!is_ready()) {
      me.waiter.list_if_reported(listed, waiting::wait_kind::foreign_future, this);
      me.poll();
      P::sleep_ns(foreign_poll_ns);
    }
    me.waiter.end_listed(listed);
  }

  // Waits on a thread that is no worker: it sleeps until it is told. Inside leat::blocking the task may be one that only this
  // thread's worker would execute.
  [[gnu::noinline]] void wait_outside() {
    if (P::template own<handshake::left_workers>().count != 0) throw_not_a_worker("future::wait");
    if (home_->forked()) throw_forked_future();
    waiting_thread here{{nullptr, tell_thread}};
    if (!result_.announce_among(static_cast<waiter*>(&here))) return;
    while (here.told.load(platform::acquire) == 0) P::wait(here.told, 0);  // acquire: pairs with tell_thread
  }

  static std::uintptr_t tell_worker(waiter* w) noexcept {
    auto* const mine = static_cast<waiting_worker*>(w);
    worker* const who = mine->who;
    mine->told.store(1, platform::release);  // pairs with told_wait.hpp
    who->notify();
    return 0;
  }
  static std::uintptr_t tell_thread(waiter* w) noexcept {
    auto& told = static_cast<waiting_thread*>(w)->told;
    told.store(1, platform::release);  // pairs with wait_outside
    P::wake_one(told);  // by its address alone
    return 0;
  }

  // Whether worker `me`, which calls and finds no result, has begun the task: it lies beneath the caller then
  // (DEADLOCK-2).
  bool is_begun_by(const worker& me) const noexcept {
    const std::uint32_t taken =
        taken_.load(platform::relaxed);  // relaxed: a mark of this worker is one that this thread wrote
    return is_begun(taken) && taken >> state_bits == me.id();
  }

  // DEADLOCK-6
  static void withdraw(void* waiting) noexcept {
    auto* const w = static_cast<waiting_worker*>(waiting);
    w->on->withdraw(static_cast<waiter*>(w));
  }

  // A holder's: runs the task here and now, if no other thread does. Then the result is there.
  bool run_here(worker& me, bool shared) {
    // In another run the task would outlive its own, which ends when its record finds nothing to do (but see FUTURE-7).
    if (&me.home != home_->owner() || (run_ != record::any_run && me.runner.run_id() != run_)) return false;
    shared = shared || holders_.load(platform::acquire) != 1;  // acquire: as in take_back
    // Never for a shared one, even if this is the only holder: several threads may wait by one shared future.
    if (!shared && take_back(me)) {
      taken_.store(mark(by_holder_alone, me), platform::relaxed);  // FUTURE-4; relaxed: no other thread reads it
    } else {
      std::uint32_t none = nobody;
      // acquire: pairs with the making of the task. relaxed failure: is_ready() acquires the result.
      if (!taken_.compare_exchange_strong(none, mark(by_holder, me), platform::acquire, platform::relaxed)) {
        return false;  // FUTURE-1
      }
      // The record stays where it lies, which may be in this worker's deque (FUTURE-5).
      me.runner.note_spent_records(true);
    }
    if (!shared) {
      const task_scope in_task(me.runner, nullptr);  // FUTURE-5
      result_.fill(call());
    } else {
      tell_all(result_.try_send(call_for(me)).waiter);
    }
    return true;
  }

  // The record's (FUTURE-2, FUTURE-3): by a worker that takes it from a deque, or executes it in a wait.
  void come_upon() noexcept override {
    worker& me = *worker::current();
    std::uint32_t found = nobody;
    // acquire: as in run_here. On failure acq_rel follows.
    if (taken_.compare_exchange_strong(found, mark(by_record, me), platform::acquire, platform::relaxed)) {
      tell_all(send(
          call_for(me)));  // from here on `this` may be gone: the receiver owns all, unless it went first (FUTURE-2)
    } else {
      this->spent(found);
    }
  }

  // Calls the callable where other workers may wait for it: inside an ancestor scope, as tasks that it leaves in our
  // deque descend from it. It is of no group: the one that its waiter is in may be another's.
  outcome<T> call_for(worker& me) noexcept {
    scheduler::ancestor_scope<P> e(me, target());
    const task_scope in_task(me.runner, nullptr);
    return call();
  }

  [[no_unique_address]] strands::future_part<P> part_;
  result_channel result_;
};

}  // namespace leat::inline LEAT_ABI::task
