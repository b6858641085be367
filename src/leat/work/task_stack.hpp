// The tasks and forks of one worker, forks in both forms, and the words by which other workers signal a request.
//
// The rules DEQUE and FORK that the comments cite are those of deque/private.hpp and deque/fork_stack.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "leat/deque/fork_stack.hpp"
#include "leat/platform/order.hpp"
#include "leat/protocol/thief.hpp"
#include "leat/work/owned_tasks.hpp"
#include "leat/work/record.hpp"
#include "leat/work/task_deque.hpp"

namespace leat::inline LEAT_ABI::work {

/// Only the owner may use it, except for signal().
template <class P>
class task_stack {
 public:
  using slot = deque::fork_slot<P>;
  using fork_stack = deque::fork_stack<P>;
  using words = deque::fork_words<P>;
  using search = owned_search<task_deque<P>>;

  /// \param owner       the worker; a thread that executes a fork finds it by fork_stack::header_of
  /// \param all_public  whether all tasks and forks are public (DEQUE-5, FORK-5)
  /// \param lent        whether its threads may end before it does: they borrow it, and give it back
  /// \throws std::bad_alloc
  task_stack(void* owner, std::size_t capacity, bool all_public, bool lent = false)
      : tasks(capacity, all_public),
        tls_forks(owner, all_public),
        context_forks(owner, all_public),
        all_public_(all_public),
        lent_(lent) {
    if (lent_) words_ = thread_words_ = &stored_, stored_.top = tls_forks.base();
  }

  bool all_public() const noexcept { return all_public_; }

  task_deque<P> tasks;
  fork_stack tls_forks;
  fork_stack context_forks;

  // -- the words that others write

  /// Asks the owner to poll. Any thread, after its request was sent (DEQUE-2). All limits are raised, since the owner
  /// compares only the one that it uses next.
  void signal() noexcept {
    tasks.signal();
    with_words([this] { tls_forks.signal(); });
    context_forks.signal();
  }
  /// Begins a poll: every request that was sent before its signal is visible from here on.
  void acknowledge() noexcept {
    tasks.acknowledge();
    tls_forks.acknowledge();
    context_forks.acknowledge();
  }
  /// Ends a poll; with `again`, the next push, pop or join polls once more.
  void rearm(bool again) noexcept {
    tasks.rearm(again);
    tls_forks.rearm(again);
    context_forks.rearm(again);
  }

  // -- the thread that has the forks

  /// The words of the worker's thread hold its forks from now on.
  void attach(words& of_thread) noexcept {
    words_ = thread_words_ = &of_thread;
    tls_forks.move_limit(of_thread.limit);
  }
  /// PRIMARY-4: the words of the calling thread hold the forks, of which there are none, until give_back.
  void borrow(words& of_thread) noexcept {
    attach(of_thread);
    borrowed_.store(1, platform::seq_cst);  // pairs with with_words
  }
  /// PRIMARY-4: no other thread uses the words of the calling thread any more. Waits for those that do.
  void give_back() noexcept {
    borrowed_.store(0, platform::seq_cst);  // pairs with with_words: one of the two sees the other
    while (users_.load(platform::seq_cst) != 0) P::yield();  // pairs with with_words
    words_ = thread_words_ = &stored_;
    stored_.top = tls_forks.base();
    tls_forks.move_limit(stored_.limit);
  }
  /// Calls f, which uses the words of the worker's thread, or not, if no thread has the forks. By any thread. PRIMARY-4
  template <class F>
  void with_words(const F& f) noexcept {
    if (!lent_) return f();
    users_.fetch_add(1, platform::seq_cst);  // pairs with give_back
    if (borrowed_.load(platform::seq_cst) != 0) f();
    users_.fetch_sub(1, platform::release);  // pairs with give_back
  }

  /// The thread has no forks from now on, until return_to. Their top is kept here, where a proxy finds it.
  void leave_thread() noexcept {
    stored_.top = words_->top;
    P::put(words_->top, nullptr);
    words_ = &stored_;
  }
  /// The thread is a worker again, and its words hold the forks.
  void return_to(words& of_thread) noexcept {
    words_ = &of_thread;
    P::put(words_->top, stored_.top);
  }
  bool is_attached_to(const words& of_thread) const noexcept { return words_ == &of_thread; }

  /// The first free slot of the forks in TLS form.
  slot* top() const noexcept { return words_->top; }
  void set_top(slot* s) noexcept { P::publish(words_->top, s); }  // pairs with fork_stack::take_plain
  /// The word that other workers read, in with_words. It stays the one of the worker's thread, also while the thread is no worker.
  slot* const& top_of_thread() const noexcept { return thread_words_->top; }

  /// The first slot of the context form that is not in use. O(log of the depth of the current context code).
  slot* context_top() const noexcept { return context_forks.top_of_marked(context_floor_); }
  /// All slots of the context form below it are in use.
  slot* context_floor() const noexcept { return context_floor_; }
  slot* exchange_context_floor(slot* s) noexcept { return std::exchange(context_floor_, s); }

  /// Whether no fork is pending.
  bool has_no_forks() const noexcept { return top() == tls_forks.base() && context_top() == context_forks.base(); }
  /// Forks in TLS form that were not given away.
  std::size_t pending_tls_forks() const noexcept {
    return top() > tls_forks.bottom() ? static_cast<std::size_t>(top() - tls_forks.bottom()) : 0;
  }

  /// Forks in context form that were not given away.
  std::size_t pending_context_forks() const noexcept {
    slot* const oldest = context_forks.bottom();
    return static_cast<std::size_t>(context_forks.top_of_marked(oldest) - oldest);
  }

  // -- what there is to give

  /// Whether there is anything for a thief.
  bool has_work() noexcept { return !tasks.empty() || oldest_fork() != nullptr; }

  /// The oldest pending fork, or null if there is none (FORK-3).
  slot* oldest_fork() noexcept { return oldest_fork_above(tls_forks.base(), context_forks.base()); }
  /// The same among the forks above these slots: a leapfrogging thief may have only those made since a scope began
  /// (LEAPFROG-3).
  slot* oldest_fork_above(const slot* tls, const slot* context) noexcept {
    if (slot* s = tls_forks.bottom(); s >= tls && s < words_->top) return s;
    if (slot* s = context_forks.bottom(); s >= context && s->call != nullptr) return s;
    return nullptr;
  }

  /// Gives that fork to worker `thief`.
  void give_fork(const slot* s, protocol::worker_id thief) noexcept {
    auto& forks = s == tls_forks.bottom() ? tls_forks : context_forks;
    forks.give(thief);
  }

  // -- tasks and forks that others gave

  /// Makes room for the largest answer. False if memory does not suffice. A worker that leaves calls it before: its
  /// proxy may not allocate (WORKER-8).
  bool make_room() noexcept {
    tasks.rewind();
    while (tasks.free_slots() < protocol::batch_max) {
      if (!tasks.grow()) return false;
    }
    return true;
  }

  /// Counts forks that came from other workers. An upper bound: a fork may leave the deque without being executed
  /// here.
  void fork_came() noexcept { ++forks_taken_; }
  void fork_begins() noexcept {
    if (forks_taken_ != 0) --forks_taken_;
  }
  /// Whether forks of others may be in the deque. It may be true without any, but never false with one: joins rely on
  /// it to skip a search.
  bool has_forks_of_others() const noexcept { return forks_taken_ != 0; }

  /// A search of the deque that begins.
  search begin_search() noexcept { return search(tasks, ++searches_); }

 private:
  const bool all_public_;
  const bool lent_;
  words* words_ = nullptr;  // of the worker's thread, or stored_
  slot* context_floor_ = context_forks.base();
  std::uint64_t forks_taken_ = 0;  // an upper bound: forks of others that came and were not executed here yet
  std::uint64_t searches_ = 0;  // so far
  // Thieves that hunt read the first of these. The owner hardly ever writes the line.
  alignas(platform::cache_line) words* thread_words_ = nullptr;  // of the worker's thread
  words stored_{};  // while the thread is no worker; the limit is used if the stack is lent
  typename P::template atomic<std::uint32_t> borrowed_{0};  // 1: a thread has the forks
  typename P::template atomic<std::uint32_t> users_{0};  // at its words
};

}  // namespace leat::inline LEAT_ABI::work
