// The platform of a simulated world: the same scheduler on fibres, in simulated time, from a seed.
//
// Whatever the threads of a simulation do here is a step of that simulation; outside of one it is what it would be on a
// single thread. The memory is sequentially consistent; `checked.hpp` is for weaker ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "leat/platform/concept.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/simulation/simulation.hpp"
#include "leat/platform/stacks.hpp"

namespace leat::inline LEAT_ABI::platform {

/// An operation is a step, and then a plain access. Fibres change only inside the step, and so nothing comes between
/// what the access reads and what it writes: a compare and a store behind one step are one atomic operation.
///
/// Orders are taken and not used, but that a store with seq_cst costs a read-modify-write, as on x86. A
/// compare-and-swap that is weak does not fail by itself here: a schedule finds what that would show by letting
/// another fibre in before it.
struct simulated {
  using stack_watch = unwatched_overflow;
  // The world's memory, at the same addresses every time.
  static void* map_stack(std::size_t bytes) { return ::operator new(bytes, std::align_val_t{stack_alignment}); }
  static void unmap_stack(void* lowest, std::size_t) noexcept {
    ::operator delete(lowest, std::align_val_t{stack_alignment});
  }

  /// No larger than a T, and as good as zero when its memory is.
  template <class T>
  class atomic {
   public:
    // constexpr, as the real ones are: static words are there before any code runs.
    constexpr atomic() noexcept = default;
    constexpr atomic(T value) noexcept : word_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order = seq_cst) const noexcept {
      touch(operation::load, this);
      return word_;
    }
    void store(T value, std::memory_order order = seq_cst) noexcept {
      touch(order == seq_cst ? operation::rmw : operation::store, this);
      word_ = value;
    }
    T exchange(T value, std::memory_order = seq_cst) noexcept {
      return change([&](T) { return value; });
    }
    bool compare_exchange_strong(T& expected, T value, std::memory_order, std::memory_order) noexcept {
      touch(operation::rmw, this);
      if (word_ != expected) {
        expected = word_;
        return false;
      }
      word_ = value;
      return true;
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order s, std::memory_order f) noexcept {
      return compare_exchange_strong(expected, value, s, f);
    }
    T fetch_add(T value, std::memory_order = seq_cst) noexcept {
      return change([&](T old) { return static_cast<T>(old + value); });
    }
    T fetch_sub(T value, std::memory_order = seq_cst) noexcept {
      return change([&](T old) { return static_cast<T>(old - value); });
    }
    T fetch_or(T value, std::memory_order = seq_cst) noexcept {
      return change([&](T old) { return static_cast<T>(old | value); });
    }
    T fetch_and(T value, std::memory_order = seq_cst) noexcept {
      return change([&](T old) { return static_cast<T>(old & value); });
    }

   private:
    friend struct simulated;
    template <class F>
    T change(F f) noexcept {
      touch(operation::rmw, this);
      return std::exchange(word_, f(word_));
    }
    T word_{};
  };

  static void fence() noexcept {
    if (auto* s = simulation::current()) s->fence();
  }
  /// Nothing that others see; but a signal may come here.
  static void signal_fence() noexcept {
    if (auto* s = simulation::current()) s->signal_fence();
  }
  template <class T>
  static T poll(const atomic<T>& word) noexcept {
    return word.load(relaxed);
  }
  template <class T>
  static void publish(T& word, std::type_identity_t<T> value) noexcept {
    touch(operation::store, &word);
    word = value;
  }
  // No cheaper than a release here: memory is sequentially consistent, and the cost is that of a store.
  template <class T>
  static void put(T& word, std::type_identity_t<T> value) noexcept {
    publish(word, value);
  }
  template <class T>
  static T observe(const T& word) noexcept {
    touch(operation::load, &word);
    return word;
  }
  template <class U, class T>
  static T republish_and_poll(U& word, std::type_identity_t<U> value, const atomic<T>& polled) noexcept {
    publish(word, value);
    return polled.load(relaxed);
  }
  // What it saves on a machine is not modelled.
  static void prefetch(const void*, std::ptrdiff_t) noexcept {}
  static void relax() noexcept {
    if (auto* s = simulation::current()) s->relax();
  }
  static void idle() noexcept {
    if (auto* s = simulation::current()) s->idle();
  }
  static void yield() noexcept {
    if (auto* s = simulation::current()) s->yield();
  }

  static void wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept { sleep_on(word, expected, 0); }
  static void wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) noexcept {
    // As a futex with no time left. sleep_on would take 0 for ever.
    if (ns != 0) sleep_on(word, expected, ns);
  }
  static void wake_one(atomic<std::uint32_t>& word) noexcept {
    if (auto* s = simulation::current()) s->wake(&word, false);
  }
  static void wake_all(atomic<std::uint32_t>& word) noexcept {
    if (auto* s = simulation::current()) s->wake(&word, true);
  }

  /// Simulated time of the calling thread, 0 outside of a world. Others may be behind it, or ahead, by as much as the
  /// schedule lets them be.
  static std::uint64_t now_ns() noexcept {
    auto* const s = simulation::current();
    return s == nullptr ? 0 : s->now_ns();
  }
  static void sleep_ns(std::uint64_t ns) noexcept {
    if (auto* s = simulation::current()) s->sleep(ns);
  }
  /// The calling thread computes for that long, work of that kind, and moves so many bytes from memory or to it. It touches nothing that others
  /// see.
  static void work_ns(double ns, double bytes = 0, work_kind kind = work_kind::any) noexcept {
    auto* const s = simulation::current();
    if (s == nullptr) return;
    if (!(bytes >= 0 && bytes <= work_max)) fail_work("work_ns, bytes", bytes);
    s->work(static_cast<double>(ps_of("work_ns", ns)), bytes, kind);
  }
  /// The same, but a computing sibling does not make it longer.
  static void spin_ns(std::uint64_t ns) noexcept {
    if (auto* s = simulation::current()) s->spin(ps_of("spin_ns", static_cast<double>(ns)));
  }
  /// The thread goes on from another unit of the machine, at no cost; what its cache had stays with the former one.
  static void name_thread(const char*) noexcept {}
  static bool bind(unsigned cpu) noexcept {
    auto* const s = simulation::current();
    return s != nullptr && s->move_to(cpu);
  }
  static std::uint64_t process_id() noexcept { return 1; }

  // A thread of the host has such words of its own, for what a program does outside of a world.
  static void*& self() noexcept {
    static constinit thread_local void* of_host = nullptr;
    auto* const s = simulation::current();
    return s == nullptr ? of_host : s->here().self;
  }
  template <class T>
  static T& own() noexcept {
    static constinit thread_local T of_host{};
    auto* const s = simulation::current();
    if (s == nullptr) return of_host;
    // Found by the type's address, and all zero, as own promises: the words are memory of the world that has not been
    // used.
    return *static_cast<T*>(s->own_words(&type_of<T>, sizeof(T), alignof(T)));
  }

  static void* reserve(std::size_t bytes) { return simulation::reserve(bytes); }
  static void unreserve(void* space, std::size_t bytes) noexcept { simulation::unreserve(space, bytes); }
  static void prefer_large_pages(void*, std::size_t) noexcept {}
  // A world is not forked: its threads are fibres, and a child would have all of them.
  static void on_fork(void (*)()) {}
  static void claim_interrupts(void (*handler)()) {
    if (auto* s = simulation::current()) s->claim_handler(handler);
  }
  static void release_interrupts(void (*handler)()) noexcept {
    if (auto* s = simulation::current()) s->release_handler(handler);
  }
  static void allow_interrupts() noexcept {
    if (auto* s = simulation::current()) s->here().interruptible = true;
  }

  /// Only inside a simulation.
  class thread {
   public:
    thread() noexcept = default;
    /// All fibres have the same stacks.
    template <class F>
    explicit thread(F body, std::size_t = 0) {
      // The fibre owns it as soon as it has been started; if that throws, as a fault plan may have it, the body is
      // destroyed here.
      auto kept = std::make_unique<F>(std::move(body));
      fibre_ = &simulation::current()->start(
          [](void* p) {
            const std::unique_ptr<F> f(static_cast<F*>(p));
            (*f)();
          },
          kept.get());
      static_cast<void>(kept.release());
      joinable_ = true;
    }
    thread(thread&& t) noexcept : fibre_(t.fibre_), joinable_(std::exchange(t.joinable_, false)) {}
    // A thread that is never joined is no error of its own here: the world ends when all of its threads have.
    thread& operator=(thread&& t) noexcept {
      fibre_ = t.fibre_;
      joinable_ = std::exchange(t.joinable_, false);
      return *this;
    }
    // Not joinable: it stands for a fibre that was started by another object, or is the world's first.
    void be_caller() noexcept { fibre_ = &simulation::current()->here(); }
    void join() {
      simulation::current()->join(*fibre_);
      joinable_ = false;
    }
    bool joinable() const noexcept { return joinable_; }
    void interrupt() noexcept { simulation::current()->interrupt(*fibre_); }

   private:
    fibre* fibre_ = nullptr;
    bool joinable_ = false;
  };

 private:
  static constexpr std::size_t stack_alignment = 64;
  template <class T>
  static constexpr char type_of = 0;
  /// `ns` 0: for ever.
  static void sleep_on(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) noexcept {
    auto* const s = simulation::current();
    if (s == nullptr) return;
    // The step comes first: others may change the word in it. Between the comparison and the sleep there is none. So
    // the two are one, as they are in a futex; the other way round a wake-up could be lost.
    s->fall_asleep(&word);
    if (word.word_ == expected) s->park(&word, ns);
  }
  static constexpr double work_max = 1e15;  // nanoseconds, or bytes; eleven days

  // In picoseconds that is below 2^60, so neither the product nor a clock that it is added to runs over. The test is so
  // written that it refuses NaN, too, which compares with nothing.
  static std::uint64_t ps_of(const char* call, double ns) noexcept {
    if (ns >= 0 && ns <= work_max) return static_cast<std::uint64_t>(ns * 1000);
    fail_work(call, ns);
  }
  [[noreturn]] static void fail_work(const char* call, double value) noexcept {
    simulation::current()->fail(std::string(call) + '(' + std::to_string(value) + "): must be between 0 and 1e15");
  }
  static void touch(operation what, const void* word) noexcept {
    if (auto* s = simulation::current()) s->touch(what, word);
  }
};

static_assert(platform<simulated> && carries_contexts<simulated>);

}  // namespace leat::inline LEAT_ABI::platform
