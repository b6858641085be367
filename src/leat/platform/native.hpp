// The platform that production code stands on: std::atomic, threads, futexes, signals.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "leat/platform/concept.hpp"
#include "leat/platform/order.hpp"

#if defined(__SANITIZE_THREAD__)
#define LEAT_UNDER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LEAT_UNDER_TSAN 1
#endif
#endif

namespace leat::platform {

struct native {
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

  static void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
  }

  static void yield() noexcept { std::this_thread::yield(); }

  static void wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
  static void wake_one(std::atomic<std::uint32_t>& word) noexcept;
  static void wake_all(std::atomic<std::uint32_t>& word) noexcept;

  static std::uint64_t now_ns() noexcept;
  static void sleep_ns(std::uint64_t ns) noexcept;

  /// Binds the calling thread to CPU number `cpu`. Returns false if the system has no such CPU or refuses.
  static bool pin(unsigned cpu) noexcept;

  static std::uint64_t process_id() noexcept;

  /// The calling thread's pointer. Initial-exec: a load or two, also from a shared library.
  static void*& self() noexcept { return self_word; }

  /// Installs `handler` for interrupt_signal in the whole process, with SA_RESTART; errno is kept around it. The
  /// handler runs inside a signal handler: lock-free work only. Throws std::system_error if the system refuses.
  static void on_interrupt(void (*handler)());

  class thread {
   public:
    thread() noexcept = default;

    /// Starts a thread that calls `body`. Throws std::system_error if the system cannot start one.
    template <class F>
    explicit thread(F body) : thread_(std::move(body)) {}

    void join() { thread_.join(); }
    bool joinable() const noexcept { return thread_.joinable(); }

    /// Makes the thread, which must not have been joined, run the interrupt handler soon.
    void interrupt() noexcept;

   private:
    std::thread thread_;
  };

 private:
#if defined(LEAT_UNDER_TSAN)
  static inline constinit std::atomic<std::uint32_t> fence_word{0};
#endif
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local void* self_word = nullptr;
};

static_assert(platform<native>);

}  // namespace leat::platform
