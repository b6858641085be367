// Tasks of a group that begin when other tasks of it are done, made one by one. Rules AFTER: docs/internals/graphs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "leat/memory/block_cache.hpp"
#include "leat/platform/order.hpp"
#include "leat/scheduler/footing.hpp"
#include "leat/strands/strands.hpp"

namespace leat::inline LEAT_ABI::task {

/// A task that waits for others, and for which others may wait. In a block of the worker that made it; freed by the last
/// that knows it: a handle, or the task itself (AFTER-4).
template <class P>
class dependent {
 public:
  /// One task that waits for another one: an entry in the other's list, in memory of the waiting one.
  struct link {
    dependent* waits;
    link* next;
  };

  /// Tasks that one may wait for.
  static constexpr std::size_t waits_max = 1'000'000'000;

  dependent(const dependent&) = delete;
  dependent& operator=(const dependent&) = delete;

  /// The group of the task, by its address alone: the group may be gone when the task is done.
  const void* group() const noexcept { return group_; }

  /// What is measured of it.
  strands::node_part<P>& part() noexcept { return part_; }

  /// Whether the task has been executed, or skipped.
  bool done() const noexcept {
    return after_.load(platform::acquire) == closed();  // acquire: pairs with end(), so what the task did is visible
  }

  /// AFTER-1: this task waits for `other`, too, unless that is done. `l` is this one's; no other thread knows it. Whether it waits.
  bool wait_for(dependent& other, link& l) noexcept {
    l.waits = this;
    l.next = other.after_.load(platform::acquire);  // acquire: pairs with end(), if it is closed
    // acq_rel: release pairs with the exchange in end(), which reads the link; acquire, as the load.
    do {
      if (l.next == closed()) return false;
    } while (!other.after_.compare_exchange_weak(l.next, &l, platform::acq_rel, platform::acquire));
    return true;
  }

  /// AFTER-2: so many that it waited for are done. Whether those were all: then the caller spawns it.
  // acq_rel: the caller that comes last sees what all the tasks did.
  bool counts_down(std::uint32_t by) noexcept { return left_.fetch_sub(by, platform::acq_rel) == by; }

  /// AFTER-3: calls the callable, unless it is skipped, and destroys it.
  void call(bool skip) { act_(*this, skip ? action::drop : action::call); }

  /// AFTER-3: the task is done. Calls ready(dependent&), which says whether it could spawn it, for each that waited for this task
  /// as the last. Returns those that could not be spawned, as a list. The last access, but for the handles'.
  template <class Ready>
  link* end(Ready ready) noexcept {
    // acq_rel: release, as those that wait begin after it; acquire: pairs with wait_for, the links are whole.
    link* l = after_.exchange(closed(), platform::acq_rel);
    link* left = nullptr;
    while (l != nullptr) {
      link* const next = l->next;  // first: the link goes with the task that waits
      if constexpr (strands::profiles<P>) l->waits->part_.follows(part_.ended());
      if (l->waits->counts_down(1) && !ready(*l->waits)) {
        l->next = left;
        left = l;
      }
      l = next;
    }
    drop();
    return left;
  }

  // relaxed: the caller has a right already.
  void take() noexcept { rights_.fetch_add(1, platform::relaxed); }

  /// AFTER-4. acq_rel: the last one frees the block after all others have done with it.
  void drop() noexcept {
    if (rights_.fetch_sub(1, platform::acq_rel) == 1) act_(*this, action::free);
  }

 protected:
  enum class action : std::uint8_t { call, drop, free };

  /// With a count of one beyond the tasks that it is to wait for, so that none of them spawns it before all are known.
  /// Two rights: the handle's, and the task's.
  dependent(const void* group, void (*act)(dependent&, action), memory::block_home<P>* home,
            std::uint32_t waits) noexcept
      : group_(group), act_(act), home_(home), left_(waits + 1) {}
  ~dependent() = default;

  memory::block_home<P>* home() const noexcept { return home_; }

 private:
  // The list of a task that is done, to which no link can be added. No link has this address.
  static link* closed() noexcept { return reinterpret_cast<link*>(std::uintptr_t{1}); }

  [[no_unique_address]] strands::node_part<P> part_;
  typename P::template atomic<link*> after_{nullptr};
  const void* const group_;
  void (*const act_)(dependent&, action);
  memory::block_home<P>* const home_;
  typename P::template atomic<std::uint32_t> left_;
  typename P::template atomic<std::uint32_t> rights_{2};
};

/// The same with its callable, and with the links by which it waits.
template <class P, class F>
class dependent_call final : public dependent<P> {
  using base = dependent<P>;
  using worker = scheduler::worker<P>;

 public:
  using link = typename base::link;

  /// Links in the block itself; for more it has an array.
  static constexpr std::size_t links_kept = 3;

  /// In a block of `me`. Throws what copying f or allocating throws; then there is none.
  template <class G>
  static dependent_call& make(worker& me, const void* group, std::uint32_t waits, G&& f) {
    const typename scheduler::footing<P>::knowing worker_here(me);  // copying may call anything
    auto& blocks = me.blocks;
    void* const place = blocks.template allocate<dependent_call>();
    try {
      return *::new (place) dependent_call(group, blocks.home(), waits, std::forward<G>(f));
    } catch (...) {
      blocks.template release<dependent_call>(place, blocks.home());
      throw;
    }
  }

  link& link_at(std::size_t i) noexcept { return more_.all != nullptr ? more_.all[i] : kept_[i]; }

 private:
  struct links {
    link* all;
    ~links() { delete[] all; }
  };

  template <class G>
  dependent_call(const void* group, memory::block_home<P>* home, std::uint32_t waits, G&& f)
      : base(group, &act, home, waits),
        more_{waits > links_kept ? new link[waits] : nullptr},
        call_(std::forward<G>(f)) {}
  ~dependent_call() {}  // the callable was destroyed when it had been called

  static void act(base& of, typename base::action what) {
    dependent_call& self = static_cast<dependent_call&>(of);
    if (what == base::action::free) {
      memory::block_home<P>* const home = self.home();
      self.~dependent_call();
      return worker::template recycle<dependent_call>(&self, home);
    }
    struct destroyed {
      F& call;
      ~destroyed() { call.~F(); }
    } const once{self.call_};
    if (what == base::action::call) static_cast<void>(self.call_());
  }

  const links more_;
  link kept_[links_kept];
  union {
    F call_;
  };
};

/// See leat::task_handle.
template <class P>
class task_handle {
 public:
  task_handle() noexcept = default;
  /// With a right that the caller has (AFTER-4).
  explicit task_handle(dependent<P>& task) noexcept : task_(&task) {}
  task_handle(const task_handle& other) noexcept : task_(other.task_) {
    if (task_ != nullptr) task_->take();
  }
  task_handle(task_handle&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  task_handle& operator=(task_handle other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~task_handle() {
    if (task_ != nullptr) task_->drop();
  }

  bool valid() const noexcept { return task_ != nullptr; }
  bool done() const noexcept { return task_ == nullptr || task_->done(); }

  /// For task_group.
  dependent<P>* task() const noexcept { return task_; }

 private:
  dependent<P>* task_ = nullptr;
};

}  // namespace leat::inline LEAT_ABI::task
