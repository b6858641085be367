// The platform on which Relacy (package relacy-dev) executes code: in every order of steps, with every value that a load may
// have. What that finds, and what it does not: docs/internals/checked.md.
//
// A thread is one of Relacy's fibres. A word keeps its size, and what Relacy knows of it is found by its address: so plain
// words that are published are checked like atomic ones, and memory that is reserved is full of words that are zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#include "leat/platform/concept.hpp"
#include "leat/platform/execution.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/site.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Each operation has as its last parameter the place in the source that calls it, which a caller leaves out: the
/// default is evaluated where the call is written. So a history of Relacy names the lines of leat's headers, and
/// `weakening` can change the order at one of them.
struct checked {
  using where = std::source_location;

  /// The part of std::atomic that leat uses, with Relacy's atomic at this object's address. Each operation is a point
  /// at which Relacy may let another thread go first.
  template <class T>
  class atomic {
   public:
    atomic() : atomic(T()) {}
    atomic(T value) { execution::now().make(this, to_bits(value)); }
    ~atomic() { execution::now().end(this); }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order o = seq_cst, where at = where::current()) const {
      return step(at, [&](auto& w) { return w.load(order(o, at), told(at)); });
    }
    void store(T value, std::memory_order o = seq_cst, where at = where::current()) {
      // `step` gives back bits, so that one template does for all: a store has none, and gives a zero.
      step(at, [&](auto& w) { return w.store(to_bits(value), order(o, at), told(at)), bits<T>(); });
    }
    T exchange(T value, std::memory_order o = seq_cst, where at = where::current()) {
      return step(at, [&](auto& w) { return w.exchange(to_bits(value), order(o, at), told(at)); });
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order success, std::memory_order failure,
                               where at = where::current()) {
      return compare_exchange<true>(expected, value, success, failure, at);
    }
    bool compare_exchange_strong(T& expected, T value, std::memory_order success, std::memory_order failure,
                                 where at = where::current()) {
      return compare_exchange<false>(expected, value, success, failure, at);
    }
    // Counters have 32 or 64 bits, as their bits here have: a smaller T would run over later than it should.
    T fetch_add(T value, std::memory_order o = seq_cst, where at = where::current()) {
      return step(at, [&](auto& w) { return w.fetch_add(value, order(o, at), told(at)); });
    }
    T fetch_sub(T value, std::memory_order o = seq_cst, where at = where::current()) {
      return step(at, [&](auto& w) { return w.fetch_sub(value, order(o, at), told(at)); });
    }
    T fetch_or(T value, std::memory_order o = seq_cst, where at = where::current()) {
      return step(at, [&](auto& w) { return w.fetch_or(value, order(o, at), told(at)); });
    }
    T fetch_and(T value, std::memory_order o = seq_cst, where at = where::current()) {
      return step(at, [&](auto& w) { return w.fetch_and(value, order(o, at), told(at)); });
    }

   private:
    template <class F>
    T step(const where& at, F act) const {
      return from_bits<T>(execution::now().step<bits<T>>(this, at, act));
    }

    template <bool may_fail>
    bool compare_exchange(T& expected, T value, std::memory_order success, std::memory_order failure, const where& at) {
      bits<T> found = to_bits(expected);
      const bool done = execution::now().step<bits<T>>(this, at, [&](auto& w) {
        return w.compare_exchange(rl::bool_t<may_fail>(), found, to_bits(value), order(success, at), order(failure, at),
                                  told(at));
      });
      // Also where it succeeds: then it is what was there.
      expected = from_bits<T>(found);
      return done;
    }

    // Never read or written. It keeps the size and the alignment of a T, on which layouts rely, and the address,
    // which is the word's name.
    T room_;  // the value is with Relacy
  };

  // leat names no fence weaker than this one. So a mutant that names a weaker order has no fence at all.
  static void fence(where at = where::current()) {
    if (weakening::weakened(seq_cst, at) == seq_cst) rl::atomic_thread_fence(rl::mo_seq_cst, told(at));
  }
  // Relacy makes the accesses of a thread in program order, and nothing interrupts it.
  static void signal_fence() noexcept {}

  template <class T>
  static T poll(const atomic<T>& word, where at = where::current()) {
    return word.load(relaxed, at);
  }

  // The owner reads its word as it lies there; others, by observe.
  template <class T>
  static void publish(T& word, std::type_identity_t<T> value, where at = where::current()) {
    store(word, value, release, at);
  }
  template <class U, class T>
  static T republish_and_poll(U& word, std::type_identity_t<U> value, const atomic<T>& polled,
                              where at = where::current()) {
    store(word, value, release, at);
    return polled.load(relaxed, at);
  }
  template <class T>
  static void put(T& word, std::type_identity_t<T> value, where at = where::current()) {
    store(word, value, relaxed, at);
  }
  // The acquire that pairs with `publish`. A word to which nothing was published and that was not reserved is an
  // error, as a place that another thread could not know.
  template <class T>
  static T observe(const T& word, where at = where::current()) {
    return from_bits<T>(
        execution::now().step<bits<T>>(&word, at, [&](auto& w) { return w.load(order(acquire, at), told(at)); }));
  }

  static void prefetch(const void*, std::ptrdiff_t) noexcept {}
  // Relacy's yield lets other threads go first, and after it a load does not give again an old value that the thread
  // has seen before. So a spin comes to its end; without it a full search would have executions that never end.
  static void relax(where at = where::current()) { yield(at); }
  static void idle(where at = where::current()) { yield(at); }
  static void yield(where at = where::current()) { rl::ctx().yield(1, told(at)); }

  // As a futex: what the word is, and that the thread sleeps, is one step. A thread may be woken for nothing.
  static void wait(atomic<std::uint32_t>& word, std::uint32_t expected, where at = where::current()) {
    sleep(&word, expected, false, at);
  }
  static void wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t,
                       where at = where::current()) {
    sleep(&word, expected, true, at);
  }
  static void wake_one(atomic<std::uint32_t>& word, where at = where::current()) { wake(&word, 1, at); }
  static void wake_all(atomic<std::uint32_t>& word, where at = where::current()) {
    wake(&word, execution::threads_max, at);
  }

  /// Each look at the clock finds it one nanosecond later.
  static std::uint64_t now_ns() { return execution::now().tick(); }
  static void sleep_ns(std::uint64_t, where at = where::current()) { yield(at); }
  static void work_ns(double, double = 0, work_kind = work_kind::any) noexcept {}
  static void spin_ns(std::uint64_t, where at = where::current()) { yield(at); }
  // Neither CPUs nor work nor processes are modelled.
  static bool bind(unsigned) noexcept { return false; }
  static void name_thread(const char*) noexcept {}
  static std::uint64_t process_id() noexcept { return 1; }
  static void*& self() { return execution::now().self(); }
  template <class T>
  static T& own() {
    return execution::now().own<T>(execution::now().thread());
  }
  static void* reserve(std::size_t bytes) { return execution::now().reserve(bytes); }
  static void unreserve(void* space, std::size_t bytes) { execution::now().unreserve(space, bytes); }
  static void prefer_large_pages(void*, std::size_t) noexcept {}

  // There is one process, and nothing in it is interrupted.
  static void on_fork(void (*)()) noexcept {}
  static void claim_interrupts(void (*)()) noexcept {}
  static void release_interrupts(void (*)()) noexcept {}
  static void allow_interrupts() noexcept {}

  /// Relacy's threads are there from the beginning to the end of an execution; there are no others.
  struct thread {
    void join() noexcept {}
    bool joinable() const noexcept { return false; }
    void interrupt() noexcept {}
    void be_caller() noexcept {}
  };

  // -- what only this platform has: the plain accesses to what is handed over

  /// A read or a write of the plain memory at `place` by the calling thread. A client calls them for what its threads
  /// hand over; Relacy fails the execution if two such accesses are not ordered and one of them writes.
  static void reads(const void* place, where at = where::current()) { execution::now().reads(place, at); }
  static void writes(const void* place, where at = where::current()) { execution::now().writes(place, at); }

 private:
  template <class T>
  using bits = std::conditional_t<sizeof(T) <= sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;

  template <class T>
  static bits<T> to_bits(T value) noexcept {
    bits<T> all = 0;
    std::memcpy(&all, &value, sizeof(T));
    return all;
  }
  template <class T>
  static T from_bits(bits<T> all) noexcept {
    T value;
    std::memcpy(&value, &all, sizeof(T));
    return value;
  }

  // The order that counts at this place of the source: what the code says, or what a test puts there instead.
  static rl::memory_order order(std::memory_order o, const where& at) {
    switch (weakening::weakened(o, at)) {
      case std::memory_order_relaxed: return rl::mo_relaxed;
      case std::memory_order_consume: return rl::mo_consume;
      case std::memory_order_acquire: return rl::mo_acquire;
      case std::memory_order_release: return rl::mo_release;
      case std::memory_order_acq_rel: return rl::mo_acq_rel;
      default: return rl::mo_seq_cst;
    }
  }
  static rl::debug_info told(const where& at) { return execution::told(at); }

  template <class T>
  static void store(T& word, T value, std::memory_order o, const where& at) {
    execution& now = execution::now();
    // The first store makes the word known. To observe it before that is an error, which Relacy reports.
    if (!now.is_word(&word)) {
      now.make(&word, to_bits(value));
    } else {
      now.step<bits<T>>(&word, at, [&](auto& w) { return w.store(to_bits(value), order(o, at), told(at)), 0; });
    }
    // For the owner's own reading, which is plain.
    word = value;
  }

  // As the kernel does it: the word's newest value is compared, whatever older one the thread could see, and the
  // thread sleeps in the same step.
  static void sleep(const void* word, std::uint32_t expected, bool timed, const where& at) {
    execution& now = execution::now();
    now.step<std::uint32_t>(word, at, [&](auto& w) {
      if (w.debug_value() != expected) {
        // It fails, and what it has seen the thread will not see undone.
        w.compare_exchange(rl::bool_t<false>(), expected, expected, rl::mo_relaxed, rl::mo_relaxed, told(at));
        return 0;
      }
      bool& for_nothing = now.may_wake_for_nothing();
      if (w.wait(rl::ctx(), timed, for_nothing, told(at)) == rl::unpark_reason_spurious) for_nothing = false;
      return 0;
    });
  }

  static void wake(const void* word, rl::thread_id_t count, const where& at) {
    // If it is not there, its sleeper has gone, and the word with it.
    execution::now().step_if_there<std::uint32_t>(word, [&](auto& w) { return w.wake(rl::ctx(), count, told(at)); });
  }
};

static_assert(platform<checked>);

}  // namespace leat::inline LEAT_ABI::platform
