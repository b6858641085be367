// A group of tasks: one worker, the owner, makes it and waits for it. Its tasks may be skipped.
//
// The rules GROUP that the comments cite are those of handshake/group_count.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/handshake/group_count.hpp"
#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"
#include "leat/work/record.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class worker;

template <class P>
class alignas(platform::cache_line) group {
 public:
  /// \param owner  the calling worker
  explicit group(worker<P>& owner) noexcept;
  group(const group&) = delete;
  group& operator=(const group&) = delete;
  ~group() {
    if (pinned_by_ != 0) [[unlikely]]
      unpin();
  }

  worker<P>& owner() const noexcept { return *owner_; }
  /// Whether this process is a child of the one that made it. Then nothing of it is executed any more.
  bool is_of_parent() const noexcept;

  /// The run that it was made in, by its address alone.
  const void* made_in() const noexcept { return run_; }

  // -- any worker

  /// Adds a task that calls `f`, of a kind that fits_owned, once. `call` is the function of the record's head. Throws
  /// what runner::spawn throws.
  template <class F>
  void spawn(worker<P>& me, void (*call)(void*, bool), F f);

  /// Takes the worker's newest task back, if spawn made it for this group with `call` from an F for which wanted(f)
  /// is true. The caller, itself in a task of the group, goes on with it.
  template <class F, class Wanted>
  std::optional<F> take_back(worker<P>& me, void (*call)(void*, bool), Wanted wanted, std::uint64_t since);

  /// Whether tasks of the group that have not begun are skipped, because this group or one around it was cancelled. A
  /// few loads.
  bool stop_requested() const noexcept {
    if (state_.load(platform::relaxed) != 0) return true;  // relaxed: nothing is read because of it
    if (parent_ == nullptr) [[likely]]
      return false;
    // acquire: pairs with cancel, so the state of the cancelled group is visible.
    return cancels_.load(platform::acquire) != clear_as_of_.load(platform::relaxed) && inherits_stop();
  }

  /// Skips tasks that have not begun.
  void cancel() noexcept {
    state_.fetch_or(cancelled_bit, platform::relaxed);  // relaxed: the next line publishes it
    cancels_.fetch_add(1, platform::acq_rel);  // pairs with stop_requested
  }

  /// See GROUP-6. It lives on the stack of `me`, which is not the owner.
  class account {
   public:
    account(worker<P>& me, group& of) noexcept;
    account(const account&) = delete;
    account& operator=(const account&) = delete;

    const group* of() const noexcept { return &of_; }
    void add(std::int64_t tasks) noexcept { count_.add(tasks); }

    /// To be called inside the runtime, where no interrupt takes over at the same time (INTERRUPT-1); settle, too.
    void take_over() noexcept;
    /// The end: `done` tasks were executed.
    void settle(std::int64_t done) noexcept;

   private:
    worker<P>& me_;
    group& of_;
    account* const outer_;
    handshake::account_count count_;
  };

  /// The function that each record of a group calls. It executes that task, and then every task of the group that is
  /// the worker's newest.
  static void invoke(work::record& first);

  /// The group that the record belongs to, or null.
  static group* of(work::record& r) noexcept {
    return r.invoke == &invoke ? static_cast<group*>(r.head().owner) : nullptr;
  }

  /// The join target by which others await the group. Unlike the address, it shows that it is a group's.
  const void* target() const noexcept { return reinterpret_cast<const char*>(this) + 1; }
  /// The group with this join target; null if it is that of anything else. The group need not live.
  static const group* with_target(const void* target) noexcept {
    const char* const address = static_cast<const char*>(target) - 1;
    if (reinterpret_cast<std::uintptr_t>(address) % alignof(group) != 0) return nullptr;
    return reinterpret_cast<const group*>(address);
  }

  /// Whether worker `me` made the group in the scope of that number, or in a scope inside that one.
  bool was_made_in(const worker<P>& me, std::uint64_t scope) const noexcept {
    return owner_ == &me && made_in_scope_ >= scope;
  }

  /// Worker `me` has got `count` records of the group that worker `victim` had lent or given away (GROUP-5).
  void moved(const worker<P>& me, protocol::worker_id victim, std::size_t count) noexcept;

  // -- the owner

  /// Whether all tasks are done.
  bool quiet() const noexcept { return count_.is_quiet(); }

  /// Executes the group's tasks in the owner's deque, wherever they lie, until there is none left. Other tasks stay.
  void run_here();

  /// Waits until all tasks are done. Meanwhile the owner executes tasks of the group and their descendants. Returns
  /// 0; or, if it was left to break a circle of waits, how many waits that circle has (DEADLOCK-5), if `may_be_left`.
  std::uint32_t wait(bool may_be_left);

  /// The same, but the owner executes any task of the run.
  std::uint32_t wait_any(bool may_be_left);

  /// Whether the owner executes a task of the group, somewhere beneath: then a wait for it would not end. O(depth).
  bool waits_for_itself() const noexcept;

  /// Makes a quiet group as good as new, and returns the first exception that a task let out, if any.
  std::exception_ptr reset() noexcept;

 private:
  static constexpr std::uint32_t cancelled_bit = 1;
  static constexpr std::uint32_t failed_bit = 2;

  bool accounts_for(const worker<P>& me) const noexcept {
    const account* const a = me.runner.innermost_account();
    return a != nullptr && a->of() == this;
  }
  [[gnu::noinline]] void count_in(worker<P>& me) noexcept;
  [[gnu::noinline]] void count_back(worker<P>& me) noexcept;
  void count_out(std::int64_t tasks) noexcept;
  void execute(work::record& r) noexcept;
  std::int64_t run(worker<P>& me, work::record& first) noexcept;
  std::int64_t run_newest(worker<P>& me, bool in_wait) noexcept;
  void fail() noexcept;
  void unpin() noexcept;
  [[gnu::noinline]] bool inherits_stop() const noexcept;
  // DEADLOCK-9: whether the owner's innermost task began after the group was made. Then an exception ends in that task,
  // and leaves the group.
  bool waits_inside() const noexcept;

  // The owner's words, which come last in the counts, share their line with the next two.
  [[no_unique_address]] handshake::group_count<P> count_;
  std::exception_ptr first_;  // written by the worker that sets failed_bit, read when all is done
  const std::uint64_t pinned_by_;  // the user-level thread that it keeps on its owner (THREAD-6); 0: none

  // Words that are read for each task and hardly ever written.
  alignas(platform::cache_line) worker<P>* const owner_;
  const void* const run_;
  const group* const parent_;
  const std::uint64_t made_in_scope_;  // the latest that its owner had begun
  handshake::group_holders<P> holders_;
  typename P::template atomic<std::uint32_t> state_{0};
  // How often any group of the runtime was cancelled. A worker that has seen the latest number need not ask the
  // groups around it.
  typename P::template atomic<std::uint64_t>& cancels_;
  mutable typename P::template atomic<std::uint64_t>
      clear_as_of_;  // cancels_ when neither this nor one around was cancelled
};

}  // namespace leat::inline LEAT_ABI::scheduler
