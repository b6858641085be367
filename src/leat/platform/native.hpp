// The platform that production code stands on: std::atomic, threads, futexes, signals. (Threads are pthread's,
// because every program includes this header, and <thread> is slow to compile.)
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "leat/platform/built.hpp"
#include "leat/platform/call_stack.hpp"
#include "leat/platform/concept.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/shared.hpp"
#include "leat/platform/stacks.hpp"

// How code reaches a word of its thread. In an executable by a constant, as compilers choose to if nothing is said (every
// program defines these words itself: they are inline); in what may become part of a shared object by an offset that the
// loader finds, which costs a load and, in a fork, more than that (docs/internals/fork_join.md). There the library alone
// defines the words: a plugin that defined them would not share those of a shared libleat, unless its compiler is g++.
#if defined(__PIC__) && !defined(__PIE__)
#define LEAT_IN_SHARED_OBJECT 1
#define LEAT_THREAD_WORD [[gnu::tls_model("initial-exec")]]
#else
#define LEAT_THREAD_WORD
#endif

// Code of a user-level thread goes on with another thread's words than before. On x86-64 the compilers read them by their
// offset from a segment each time; but where a sanitizer is told of each access, they compute an address, and may keep it. On
// other machines they read the thread's pointer, by an instruction that they take for one that always gives the same, and keep
// that across a switch. So there the words are found by a call, of which the compilers must not know that it gives the same.
#if defined(LEAT_UNDER_TSAN) || defined(__SANITIZE_ADDRESS__) || !defined(__x86_64__)
#define LEAT_FINDS_THREAD_WORD [[gnu::noinline]]
#define LEAT_THREAD_WORD_AFRESH() asm volatile("" ::: "memory")
#else
#define LEAT_FINDS_THREAD_WORD [[gnu::always_inline]]
#define LEAT_THREAD_WORD_AFRESH() static_cast<void>(0)
#endif

namespace leat::inline LEAT_ABI::platform {

struct LEAT_SHARED native {
  using stack_watch = overflow_watch;
  static void* map_stack(std::size_t bytes) { return platform::map_stack(bytes); }
  static void unmap_stack(void* lowest, std::size_t bytes) noexcept { platform::unmap_stack(lowest, bytes); }

  template <class T>
  using atomic = std::atomic<T>;

  /// A full fence, about 4 ns.
  static void fence() noexcept {
#if defined(LEAT_UNDER_TSAN)
    // TSan does not model fences; a read-modify-write of one shared word is a fence that it does see.
    fence_word.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }

  [[gnu::always_inline]] static void prefetch(const void* place, std::ptrdiff_t bytes) noexcept {
    __builtin_prefetch(
        reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(place) + static_cast<std::uintptr_t>(bytes)));
  }

  static void idle() noexcept { relax(); }
  static void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
  }

  /// Keeps the compiler from moving memory accesses across it: orders a thread with an interrupt of its own. Costs nothing;
  /// this form is also one that g++ takes for nothing when it decides what to inline.
  [[gnu::always_inline]] static void signal_fence() noexcept { asm volatile("" ::: "memory"); }

  /// A relaxed load, for the one word that every join reads; g++ takes std::atomic's for a call when it decides what to
  /// inline.
  template <class T>
  [[gnu::always_inline]] static T poll(const std::atomic<T>& word) noexcept {
#if defined(LEAT_UNDER_TSAN)
    return word.load(std::memory_order_relaxed);
#else
    static_assert(sizeof(std::atomic<T>) == sizeof(T) && std::atomic<T>::is_always_lock_free);
    return *reinterpret_cast<const volatile T*>(&word);
#endif
  }

  /// Writes a word of the thread's own that others may observe, which then see all that was written before. On x86 it is a
  /// plain store between signal fences, the caller's one after it included: g++ makes more of that than of a volatile or an
  /// atomic one.
  template <class T>
  [[gnu::always_inline]] static void publish(T& word, std::type_identity_t<T> value) noexcept {
#if defined(__x86_64__) && !defined(LEAT_UNDER_TSAN)
    signal_fence();
    word = value;
#else
    __atomic_store_n(&word, value, __ATOMIC_RELEASE);
#endif
  }

  /// The same, of which nothing is to be seen but the word.
  template <class T>
  [[gnu::always_inline]] static void put(T& word, std::type_identity_t<T> value) noexcept {
#if defined(LEAT_UNDER_TSAN)
    __atomic_store_n(&word, value, __ATOMIC_RELAXED);
#else
    word = value;
#endif
  }

  /// Reads a word that another thread publishes.
  template <class T>
  static T observe(const T& word) noexcept {
    return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
  }

  /// Publishes what was published before, by another value, and then polls: an interrupt does not find the two the other
  /// way round. What the compiler knows of other memory, and what has been stored there, it need not read again.
  template <class U, class T>
  [[gnu::always_inline]] static T republish_and_poll(U& word, std::type_identity_t<U> value,
                                                     std::atomic<T>& polled) noexcept {
#if defined(__clang__) && !defined(LEAT_UNDER_TSAN)
    // Volatile accesses stay in order. An asm with operands costs as much as a call, when clang decides what to inline.
    __atomic_store_n(const_cast<volatile U*>(&word), value, __ATOMIC_RELEASE);
#elif defined(__x86_64__) && !defined(LEAT_UNDER_TSAN)
    word = value;
    // As a T: g++ takes a write to std::atomic<T> for one to whatever holds it.
    static_assert(sizeof(std::atomic<T>) == sizeof(T));
    asm volatile("" : "+m"(reinterpret_cast<T&>(polled)) : "m"(word));
#else
    __atomic_store_n(&word, value, __ATOMIC_RELEASE);
    asm volatile("" : "+m"(reinterpret_cast<T&>(polled)) : "m"(word));
#endif
    return poll(polled);
  }

  static void yield() noexcept { sched_yield(); }

  /// A sleep ends by a wake-up, by a signal, by its time, or for no reason: the caller checks what it waits for and
  /// calls again. A wake-up costs the caller a system call, about 7 us where a thread sleeps. They order no memory;
  /// the caller fences (PARKER-1, PARKER-2).
  static void wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
  static void wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) noexcept;
  static void wake_one(std::atomic<std::uint32_t>& word) noexcept;
  static void wake_all(std::atomic<std::uint32_t>& word) noexcept;

  /// Nanoseconds of a clock that all threads share, since some time before the process. It never goes back, but a processor
  /// may read it some tens of nanoseconds early. 12 to 32 ns.
  static std::uint64_t now_ns() noexcept;
  static void sleep_ns(std::uint64_t ns) noexcept;

  /// Work takes its time by itself.
  [[gnu::always_inline]] static void work_ns(double, double = 0, work_kind = work_kind::any) noexcept {}

  /// Keeps the CPU, as far as the system leaves it to the thread.
  static void spin_ns(std::uint64_t ns) noexcept;

  /// Binds the calling thread to CPU number `cpu`. Returns false if the system has no such CPU or refuses.
  static bool bind(unsigned cpu) noexcept;

  /// What the system calls the calling thread from now on, as `top -H` shows it. Linux refuses more than 15 characters, and a
  /// refusal changes nothing.
  static void name_thread(const char* name) noexcept;

  /// The smallest stack that a thread may have, and what its bytes are a multiple of.
  static std::size_t thread_stack_min() noexcept;
  static std::size_t page_bytes() noexcept;

  /// Of this process. Costs a load once on_fork() has been called; until then a system call, about 50 ns.
  static std::uint64_t process_id() noexcept;

  /// The calling thread's pointer: a load, or two from a shared library.
  LEAT_FINDS_THREAD_WORD static void*& self() noexcept {
    LEAT_THREAD_WORD_AFRESH();
    return *apart(&self_word);
  }

  /// The same address, made known before it is tested. g++ may test the address of a thread-local word by the flags of an
  /// addition that the linker turns into an instruction which sets none, so that UBSan sees a null reference.
  template <class T>
  [[gnu::always_inline]] static T* apart(T* word) noexcept {
#if defined(__SANITIZE_ADDRESS__) && defined(__x86_64__)
    asm("" : "+r"(word));
#endif
    return word;
  }

  /// The calling thread's own T, all zero at first. Reached as self() is. T is LEAT_SHARED if the library and a program, or two
  /// shared objects, ask for the same word.
  template <class T>
  LEAT_FINDS_THREAD_WORD static T& own() noexcept {
    LEAT_THREAD_WORD_AFRESH();
    return *apart(&own_word<T>);
  }

  /// Address space for `bytes`, a power of two and a multiple of the page, aligned to it; zero, and without memory until it
  /// is touched. Behind it lies a page that faults. Throws std::bad_alloc if the system has none.
  static void* reserve(std::size_t bytes);
  static void unreserve(void* space, std::size_t bytes) noexcept;

  /// Asks the system to back the memory by large pages, where it has any: fewer faults when it is touched, fewer misses of
  /// the address cache. A hint; nothing else changes.
  static void prefer_large_pages(void* memory, std::size_t bytes) noexcept;

  /// Has every child of a fork() call `handler`, on the thread that forked, after those that came earlier: for good, and once.
  /// Throws std::bad_alloc.
  static void on_fork(void (*handler)());

  /// The shared library that has this code, if one has, is not unloaded from now on, also if all that opened it close it. For
  /// threads that end with the process only.
  static void stay_loaded() noexcept;

  /// Handlers that may be claimed for at once.
  static constexpr std::size_t interrupt_handlers_max = 8;

  /// From here on an interrupted thread calls `handler`, and all others that are claimed for, whichever thread it is.
  /// They run inside a signal handler, with errno kept: lock-free work only. The first claim installs the handler of
  /// the signal, with SA_RESTART, in the whole process. Claims of the same handler are counted. Throws
  /// std::system_error if the system refuses, std::length_error beyond interrupt_handlers_max. Any thread; a lock.
  /// See docs/internals/interrupts.md.
  static void claim_interrupts(void (*handler)());

  /// Ends a claim; with the last one the signal is again what it was before the first. Every thread that was
  /// interrupted for the sake of this claim must have been joined.
  static void release_interrupts(void (*handler)()) noexcept;

  /// See shows_calls.
  static void note_calls(call_stack& into) noexcept;

  /// Lets the calling thread be interrupted, also where its creator had all signals blocked.
  static void allow_interrupts() noexcept;

  /// As std::thread: it must be joined before it ends, or the process does. Its owner calls join and moves it; any thread
  /// may call interrupt(), which reads the handle, while the object is not being moved.
  class thread {
   public:
    thread() noexcept = default;

    /// Starts a thread that calls `body`, with a stack of so many bytes; 0: the system's usual size. Throws std::system_error if
    /// the system cannot start one.
    template <class F>
    explicit thread(F body, std::size_t stack_bytes = 0) {
      auto* const kept = new F(std::move(body));
      try {
        start(call<F>, kept, stack_bytes);
      } catch (...) {
        delete kept;
        throw;
      }
    }
    thread(thread&& other) noexcept : handle_(other.handle_), joinable_(std::exchange(other.joinable_, false)) {}
    thread& operator=(thread&& other) noexcept {
      if (joinable_) std::terminate();
      handle_ = other.handle_;
      joinable_ = std::exchange(other.joinable_, false);
      return *this;
    }
    ~thread() {
      if (joinable_) std::terminate();
    }

    /// From now on it stands for the calling thread, which it can interrupt while that lives. It is not joinable.
    void be_caller() noexcept;

    /// Throws std::system_error if there is nothing to join, or it is the calling thread.
    void join();
    bool joinable() const noexcept { return joinable_; }

    /// Makes the thread, which must not have been joined, run the interrupt handlers soon. Safe inside one.
    void interrupt() noexcept;

    /// See shows_calls.
    thread_sleep sleep() const;
    bool note_calls(call_stack& into, void (*also)(void*) noexcept, void* with);

   private:
    template <class F>
    static void* call(void* body) noexcept {
      auto* const kept = static_cast<F*>(body);
      (*kept)();
      delete kept;
      return nullptr;
    }

    void start(void* (*function)(void*), void* body, std::size_t stack_bytes);

    pthread_t handle_{};
    bool joinable_ = false;
  };

 private:
#if defined(LEAT_UNDER_TSAN)
  static inline constinit std::atomic<std::uint32_t> fence_word{0};
#endif
#if defined(LEAT_IN_SHARED_OBJECT)
  LEAT_THREAD_WORD static constinit thread_local void* self_word;  // native.cpp
#else
  LEAT_THREAD_WORD static inline constinit thread_local void* self_word = nullptr;
#endif
  // entry/instances.hpp declares those that the library defines.
  template <class T>
  LEAT_THREAD_WORD static inline constinit thread_local T own_word{};
};

static_assert(platform<native> && carries_contexts<native>);

}  // namespace leat::inline LEAT_ABI::platform
