// What the runtime asks of the machine. Everything above floor 0 is a template on a type that models `platform`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/platform/stacks.hpp"
#include "leat/platform/work_kind.hpp"

namespace leat::inline LEAT_ABI::platform {

/// An atomic word: the part of std::atomic's interface that leat uses, each order given explicitly.
template <class A, class T>
concept atomic_word = requires(A& a, const A& c, T v) {
  { c.load(acquire) } -> std::same_as<T>;
  { a.store(v, release) };
  { a.exchange(v, acq_rel) } -> std::same_as<T>;
  { a.compare_exchange_weak(v, v, acq_rel, acquire) } -> std::same_as<bool>;
  { a.compare_exchange_strong(v, v, acq_rel, acquire) } -> std::same_as<bool>;
};

/// An atomic word that counts.
template <class A, class T>
concept atomic_counter = atomic_word<A, T> && requires(A& a, T v) {
  { a.fetch_add(v, acq_rel) } -> std::same_as<T>;
  { a.fetch_sub(v, acq_rel) } -> std::same_as<T>;
  { a.fetch_or(v, acq_rel) } -> std::same_as<T>;
  { a.fetch_and(v, acq_rel) } -> std::same_as<T>;
};

/// The door to the machine.
///
/// - `atomic<T>`: an atomic word.
/// - `fence()`: a full, sequentially consistent fence.
/// - `signal_fence()`: orders a thread with an interrupt of its own; only the compiler is meant.
/// - `publish(word, value)`, `put(word, value)`: a release and a relaxed store to a word that is no atomic, as only its
///   owner writes it; `observe(word)`: an acquiring load of one by another thread.
/// - `poll(word)`: a relaxed load. `republish_and_poll(own, value, word)`: a release store, of what has been published
///   before, and a poll, which an interrupt does not find in another order. (No other memory is meant, so the compiler
///   still knows what it knew.)
/// - `prefetch(place, bytes)`: a hint that the line so many bytes from `place`, which need not be memory, is used soon.
/// - `relax()`: tells the core that this is a spin loop; `yield()`: offers the core to another thread. `idle()`: as relax(). The
///   caller promises: if it only read words since the last call, its next round does the same until another thread writes one of
///   them, or interrupts it. So a simulated world may leave it out until then.
/// - `wait(word, expected)`: sleeps while `word == expected`; may return at any time. `wait_for(word, expected, ns)`:
///   the same, for that long at most. `wake_one`, `wake_all`: end such
///   sleeps. A waker may call them with the address of a word that no longer exists: only the address is used.
/// - `now_ns()`: a monotonic clock in nanoseconds. `sleep_ns(ns)`. `work_ns(ns, bytes, kind)`: what follows, or came before, takes that
///   long, moves so many bytes from memory or to it, and is of that kind for a sibling on the core; where time is simulated. `spin_ns(ns)`: reads the clock until that much time has passed.
/// - `self()`: one pointer per thread (or fibre), null at first: how a worker finds itself.
/// - `own<T>()`: one T per thread (or fibre), all zero at first: the few words that are read too often to go through self().
/// - `reserve(bytes)`: address space, aligned to its size, that costs memory where it is touched; `unreserve`.
/// - `prefer_large_pages(memory, bytes)`: a hint for memory that will be used from one end to the other.
/// - `on_fork(handler)`: from now on, fork() calls the handler in the child, before it returns there. Throws std::bad_alloc.
/// - `bind(cpu)`: binds the calling thread to a CPU; false if the system refuses.
/// - `name_thread(name)`: what the system shows as the name of the calling thread, as far as it has names.
/// - `process_id()`: changes in a forked child, where no thread of the parent runs.
/// - `thread(body, stack_bytes)`: a joinable thread, with a stack of that size where the platform has a choice, that can be interrupted: `interrupt()` makes it call, soon and wherever it is, the
///   handlers that `claim_interrupts(handler)` installed for the process, until `release_interrupts(handler)`, if it
///   has called `allow_interrupts()`. One that is default-constructed can `be_caller()`: stand for the calling thread.
///
/// The handler of an interrupt may come between any two instructions of its thread. It uses atomics, fences, relax, yield and
/// the wakes: a platform with interrupts has these without locks, and without allocations. All functions may be called
/// by any thread at once; those about a thread's own words are about the caller's. A `thread` is its owner's, but for
/// interrupt(), which any thread may call while no other thread moves the object.
template <class P>
concept platform =
    requires(typename P::template atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t ns, unsigned cpu,
             std::size_t bytes, typename P::thread& thread, void (*handler)(), void*& own) {
      requires atomic_counter<typename P::template atomic<std::uint32_t>, std::uint32_t>;
      requires atomic_counter<typename P::template atomic<std::uint64_t>, std::uint64_t>;
      requires atomic_word<typename P::template atomic<void*>, void*>;
      P::fence();
      P::signal_fence();
      { P::poll(word) } -> std::same_as<std::uint32_t>;
      P::publish(own, nullptr);
      P::put(own, nullptr);
      { P::observe(own) } -> std::same_as<void*>;
      { P::republish_and_poll(own, nullptr, word) } -> std::same_as<std::uint32_t>;
      P::prefetch(&word, std::ptrdiff_t{});
      P::relax();
      P::idle();
      P::yield();
      P::wait(word, value);
      P::wait_for(word, value, ns);
      P::wake_one(word);
      P::wake_all(word);
      P::sleep_ns(ns);
      P::work_ns(0.5, 64., work_kind::memory);
      P::spin_ns(ns);
      P::on_fork(handler);
      P::claim_interrupts(handler);
      P::release_interrupts(handler);
      P::allow_interrupts();
      { P::now_ns() } -> std::same_as<std::uint64_t>;
      { P::self() } -> std::same_as<void*&>;
      { P::template own<std::uint64_t>() } -> std::same_as<std::uint64_t&>;
      { P::reserve(bytes) } -> std::same_as<void*>;
      P::unreserve(P::reserve(bytes), bytes);
      P::prefer_large_pages(P::reserve(bytes), bytes);
      { P::bind(cpu) } -> std::same_as<bool>;
      P::name_thread("");
      { P::process_id() } -> std::same_as<std::uint64_t>;
      thread.join();
      thread.interrupt();
      thread.be_caller();
      { thread.joinable() } -> std::same_as<bool>;
    };

/// A platform on whose threads contexts may run that have stacks of their own (stacks.hpp).
///
/// - `map_stack(bytes)`, `unmap_stack`: memory for one.
/// - `stack_watch`: while it lives, on a thread of the platform, the end of such a stack is reported; see overflow_watch.
template <class P>
concept carries_contexts = platform<P> && requires(std::size_t bytes, void* stack) {
  { P::map_stack(bytes) } -> std::same_as<void*>;
  P::unmap_stack(stack, bytes);
  requires std::constructible_from<typename P::stack_watch, void*, overflow_watch::describe_type>;
};

}  // namespace leat::inline LEAT_ABI::platform
