// The native platform, with every fence, read-modify-write and interrupt counted per thread.
//
// Custodio, Paulino and Rito, "Efficient Synchronization-Light Work Stealing" (SPAA 2023), section 5.2, compares schedulers by their numbers of fences and CAS; this platform gives ours.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "leat/platform/concept.hpp"
#include "leat/platform/native.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/shared.hpp"
#include "leat/platform/stacks.hpp"

namespace leat::inline LEAT_ABI::platform {

/// What one thread asked of the memory system, in numbers of operations.
struct operation_counts {
  std::uint64_t fences = 0;
  std::uint64_t cas = 0;  ///< compare-and-exchange, successful or not
  std::uint64_t rmw = 0;  ///< other read-modify-writes
  std::uint64_t signals = 0;  ///< interrupts sent
  std::uint64_t wakes = 0;  ///< futex wake calls

  operation_counts& operator+=(const operation_counts& o) {
    fences += o.fences, cas += o.cas, rmw += o.rmw, signals += o.signals, wakes += o.wakes;
    return *this;
  }
  friend operation_counts operator-(operation_counts a, const operation_counts& b) {
    return {a.fences - b.fences, a.cas - b.cas, a.rmw - b.rmw, a.signals - b.signals, a.wakes - b.wakes};
  }
};

/// Each operation is the native one, with an addition to a word of the thread before it. The additions are plain: no
/// other thread reads the counts while this one works, and they order nothing. So the numbers are those of the native
/// platform; the times are not.
///
/// Loads are not counted, nor are stores but those with seq_cst: on x86 they are the instructions of plain accesses.
struct LEAT_SHARED counted {
  using stack_watch = overflow_watch;
  static void* map_stack(std::size_t bytes) { return platform::map_stack(bytes); }
  static void unmap_stack(void* lowest, std::size_t bytes) noexcept { platform::unmap_stack(lowest, bytes); }

  template <class T>
  class atomic {
   public:
    constexpr atomic() noexcept = default;
    constexpr atomic(T value) noexcept : word_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order order = seq_cst) const noexcept { return word_.load(order); }

    void store(T value, std::memory_order order = seq_cst) noexcept {
      // On x86 a seq_cst store is an exchange; it costs what one costs, so it counts as one.
      if (order == seq_cst) ++counts().rmw;
      word_.store(value, order);
    }

    T exchange(T value, std::memory_order order = seq_cst) noexcept {
      ++counts().rmw;
      return word_.exchange(value, order);
    }

    // Every attempt counts, also those of a loop that fails: each takes the cache line.
    bool compare_exchange_weak(T& expected, T value, std::memory_order success, std::memory_order failure) noexcept {
      ++counts().cas;
      return word_.compare_exchange_weak(expected, value, success, failure);
    }
    bool compare_exchange_strong(T& expected, T value, std::memory_order success, std::memory_order failure) noexcept {
      ++counts().cas;
      return word_.compare_exchange_strong(expected, value, success, failure);
    }

    T fetch_add(T value, std::memory_order order = seq_cst) noexcept {
      ++counts().rmw;
      return word_.fetch_add(value, order);
    }
    T fetch_sub(T value, std::memory_order order = seq_cst) noexcept {
      ++counts().rmw;
      return word_.fetch_sub(value, order);
    }
    T fetch_or(T value, std::memory_order order = seq_cst) noexcept {
      ++counts().rmw;
      return word_.fetch_or(value, order);
    }
    T fetch_and(T value, std::memory_order order = seq_cst) noexcept {
      ++counts().rmw;
      return word_.fetch_and(value, order);
    }

   private:
    // wait and wake hand the word itself to the native platform: the kernel knows a futex by its address.
    friend struct counted;
    std::atomic<T> word_{};
  };

  /// The calling thread's counts since it started. Only the thread itself may read or reset them. An interrupt may come
  /// in the middle of an addition: its handler leaves the counts as it found them.
  LEAT_FINDS_THREAD_WORD static operation_counts& counts() noexcept {
    LEAT_THREAD_WORD_AFRESH();
    return *native::apart(&counts_word);
  }

  static void fence() noexcept {
    ++counts().fences;
    native::fence();
  }
  static void signal_fence() noexcept { native::signal_fence(); }
  template <class T>
  static T poll(const atomic<T>& word) noexcept {
    return word.load(relaxed);
  }
  template <class T>
  static void publish(T& word, std::type_identity_t<T> value) noexcept {
    native::publish(word, value);
  }
  template <class T>
  static void put(T& word, std::type_identity_t<T> value) noexcept {
    native::put(word, value);
  }
  template <class T>
  static T observe(const T& word) noexcept {
    return native::observe(word);
  }
  template <class U, class T>
  static T republish_and_poll(U& word, std::type_identity_t<U> value, const atomic<T>& polled) noexcept {
    native::publish(word, value);
    // Any order that an interrupt's handler may see is that of the native platform; how few instructions it takes
    // does not matter here.
    native::signal_fence();
    return polled.load(relaxed);
  }
  static void prefetch(const void* place, std::ptrdiff_t bytes) noexcept { native::prefetch(place, bytes); }
  static void relax() noexcept { native::relax(); }
  static void idle() noexcept { native::relax(); }
  static void yield() noexcept { native::yield(); }
  static void wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept { native::wait(word.word_, expected); }
  static void wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) noexcept {
    native::wait_for(word.word_, expected, ns);
  }
  // The call counts, whether or not a thread sleeps: the system call is what costs.
  static void wake_one(atomic<std::uint32_t>& word) noexcept {
    ++counts().wakes;
    native::wake_one(word.word_);
  }
  static void wake_all(atomic<std::uint32_t>& word) noexcept {
    ++counts().wakes;
    native::wake_all(word.word_);
  }
  static std::uint64_t now_ns() noexcept { return native::now_ns(); }
  static void sleep_ns(std::uint64_t ns) noexcept { native::sleep_ns(ns); }
  [[gnu::always_inline]] static void work_ns(double, double = 0, work_kind = work_kind::any) noexcept {}
  static void spin_ns(std::uint64_t ns) noexcept { native::spin_ns(ns); }
  static bool bind(unsigned cpu) noexcept { return native::bind(cpu); }
  static void name_thread(const char* name) noexcept { native::name_thread(name); }
  static std::uint64_t process_id() noexcept { return native::process_id(); }
  /// Its own word, not native's: a thread may be a worker of both platforms' runtimes, one inside the other.
  LEAT_FINDS_THREAD_WORD static void*& self() noexcept {
    LEAT_THREAD_WORD_AFRESH();
    return *native::apart(&self_word);
  }
  template <class T>
  static T& own() noexcept {
    return native::own<T>();
  }
  static void* reserve(std::size_t bytes) { return native::reserve(bytes); }
  static void unreserve(void* space, std::size_t bytes) noexcept { native::unreserve(space, bytes); }
  static void prefer_large_pages(void* memory, std::size_t bytes) noexcept {
    native::prefer_large_pages(memory, bytes);
  }
  static void on_fork(void (*handler)()) { native::on_fork(handler); }
  static void claim_interrupts(void (*handler)()) { native::claim_interrupts(handler); }
  static void release_interrupts(void (*handler)()) noexcept { native::release_interrupts(handler); }
  static void allow_interrupts() noexcept { native::allow_interrupts(); }

  // Hides `interrupt` and nothing else. No code of leat's calls it by a reference to the base.
  class thread : public native::thread {
   public:
    using native::thread::thread;
    void interrupt() noexcept {
      ++counts().signals;
      native::thread::interrupt();
    }
  };

 private:
  // Constant-initialised, so no access needs a test whether the word is there.
  LEAT_THREAD_WORD static inline constinit thread_local operation_counts counts_word{};
  LEAT_THREAD_WORD static inline constinit thread_local void* self_word = nullptr;
};

static_assert(platform<counted> && carries_contexts<counted>);

}  // namespace leat::inline LEAT_ABI::platform
