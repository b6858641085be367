// One execution of a client under Relacy: the words and the plain memory that its threads share, known by their addresses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <source_location>
#include <utility>

#include "leat/platform/native.hpp"
#include "leat/platform/relacy.hpp"

namespace leat::inline LEAT_ABI::platform {

/// A client under Relacy has one, before all its other members. It has all that is said of memory forgotten in the end.
///
/// It is made before the client's words and ends after them, since these are registered here when they are made, and
/// struck out when they end. Relacy runs all threads of a client as fibres on one thread, so nothing here needs a
/// lock; what must not be divided is one step of Relacy's (preemption_disabler).
class execution {
 public:
  /// Threads of a client at most (relacy.hpp).
  static constexpr unsigned threads_max = 3;

  using where = std::source_location;

  execution() {
    now_ = this;
    ++allocations::watched(rl::ctx());
  }
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;
  ~execution() {
    // Before Relacy watches allocations again: what was allocated while it did not watch must be freed so, too, or it
    // takes that for a block that it never gave.
    own_.clear();
    words_.clear();
    places_.clear();
    for (const auto& [space, bytes] : reserved_) native::unreserve(space, bytes);
    --allocations::watched(rl::ctx());
  }

  static execution& now() noexcept { return *now_; }

  static rl::debug_info told(const where& at) { return {at.function_name(), at.file_name(), at.line()}; }

  [[noreturn]] static void fail(const char* what, rl::test_result_e result, const where& at) {
    rl::ctx().fail_test(what, result, told(at));
    std::abort();  // the execution has ended there
  }

  // -- words: U is their bits

  // No step that others could come before: no other thread knows of a word that is being made.
  template <class U>
  void make(const void* place, U value) {
    const rl::preemption_disabler one_step(rl::ctx());
    words_[place] = std::make_unique<made<U>>(value);
  }
  void end(const void* place) { words_.erase(place); }
  /// In memory that was reserved every place is a word, of the value zero, since it is used without being
  /// constructed.
  bool is_word(const void* place) const { return words_.contains(place) || is_reserved(place); }

  /// What `act` makes of Relacy's atomic that stands for the word at `place`: one step, before which others may make theirs.
  template <class U, class F>
  auto step(const void* place, const where& at, F act) {
    rl::ctx().sched();
    // After the switch, as another thread may have ended the word in it. From here on there is none until the access
    // is done.
    if (!is_word(place)) fail("there is no such word, or no more", rl::test_result_access_to_freed_memory, at);
    return act_on<U>(place, act);
  }

  /// The same, if the word is still there.
  template <class U, class F>
  void step_if_there(const void* place, F act) {
    rl::ctx().sched();
    if (is_word(place)) act_on<U>(place, act);
  }

  // -- plain memory

  /// A plain access of the calling thread: Relacy finds its race with another. A write is what makes a place.
  void reads(const void* place, const where& at) {
    const auto found = places_.find(place);
    if (found == places_.end()) fail("nothing was written there", rl::test_result_unitialized_access, at);
    // The value means nothing: Relacy finds out whether the access is ordered with those of other threads.
    static_cast<void>(found->second(told(at)).load());
  }
  void writes(const void* place, const where& at) { places_[place](told(at)).store(0); }

  void* reserve(std::size_t bytes) {
    void* const space = native::reserve(bytes);
    reserved_.emplace(space, bytes);
    return space;
  }
  void unreserve(void* space, std::size_t bytes) {
    // The next block at this address is zero again. What was noted of plain memory stays, so that a block that is
    // used again before its last reader has done is found.
    words_.erase(words_.lower_bound(space), words_.lower_bound(static_cast<std::byte*>(space) + bytes));
    reserved_.erase(space);
    native::unreserve(space, bytes);
  }

  // -- threads

  unsigned thread() const noexcept { return static_cast<unsigned>(rl::ctx().current_thread()); }
  void*& self() noexcept { return self_[thread()]; }
  template <class T>
  T& own(unsigned thread) {
    // One for each T: its address is the type's name.
    static const char name = 0;
    std::shared_ptr<void>& one = own_[{&name, thread}];
    if (one == nullptr) one = std::make_shared<T>();
    return *static_cast<T*>(one.get());
  }
  // Each reading finds another time, so a wait that is limited by a clock ends. It is no step.
  std::uint64_t tick() noexcept { return ++ticks_; }

  /// Whether the calling thread may be woken for nothing: once. More would make executions that never end.
  bool& may_wake_for_nothing() noexcept { return may_wake_for_nothing_[thread()]; }

 private:
  // Relacy watches what is allocated, and each deallocation would be one more choice. leat's own words tell enough.
  struct allocations : rl::context {
    static int& watched(rl::context& c) { return c.*&allocations::disable_alloc_; }
  };

  struct word {
    explicit word(bool zero) : is_zero(zero) {}
    virtual ~word() = default;
    const bool is_zero;
  };
  // Made by a thread: for those for whom that has not happened, it is not there.
  template <class U>
  struct made : word {
    explicit made(U value) : word(false), atomic(value) {}
    rl::atomic<U> atomic;
  };
  // In memory that has been zero for ever.
  template <class U>
  struct zero : word {
    zero() : word(true) {}
    rl::generic_atomic<U, true> atomic;
  };

  template <class U, class F>
  auto act_on(const void* place, F act) {
    // The first that comes to a word in reserved memory makes it. Its value is as old as the memory, so all threads
    // may see it, and none has seen it (relacy.hpp).
    auto& w = words_[place];
    if (w == nullptr) w = std::make_unique<zero<U>>();
    const rl::preemption_disabler one_step(rl::ctx());
    if (w->is_zero) return act(static_cast<zero<U>&>(*w).atomic);
    return act(static_cast<made<U>&>(*w).atomic);
  }

  bool is_reserved(const void* place) const {
    // The block that begins last at or before `place`; blocks do not overlap.
    auto after = reserved_.upper_bound(const_cast<void*>(place));
    return after != reserved_.begin() && (--after, place < static_cast<std::byte*>(after->first) + after->second);
  }

  // There is one client at a time.
  static inline execution* now_ = nullptr;

  // Ordered, as a block's words are struck out together. By pointer, as words are of two kinds.
  std::map<const void*, std::unique_ptr<word>> words_;
  std::map<const void*, rl::var<int>> places_;
  std::map<void*, std::size_t> reserved_;
  std::map<std::pair<const void*, unsigned>, std::shared_ptr<void>> own_;
  std::array<void*, threads_max> self_{};
  std::array<bool, threads_max> may_wake_for_nothing_{true, true, true};
  std::uint64_t ticks_ = 0;
};

}  // namespace leat::inline LEAT_ABI::platform
