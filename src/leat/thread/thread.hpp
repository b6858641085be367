// Handles of green threads, as programs see them.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "leat/platform/abort.hpp"
#include "leat/platform/thrown.hpp"
#include "leat/scheduler/process.hpp"
#include "leat/thread/carrier.hpp"
#include "leat/thread/waiting.hpp"

namespace leat::inline LEAT_ABI::threads {

/// Options of a thread.
struct thread_options {
  /// Threads of a higher priority go first.
  std::int32_t priority = 0;
  /// Bytes of its stack; a multiple of stack_bytes_unit, from stack_bytes_min to stack_bytes_max. Others than
  /// stack_bytes_usual are not recycled.
  std::size_t stack_bytes = fibre::stack_bytes_usual;
};

/// For a thread that begins when its bubble releases it.
struct held_t {};

/// \param what  the call of the program, as "thread::sleep", for the message
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_carrier(const char* what) {
  throw std::logic_error(std::string("leat::") + what +
                         ": the calling worker carries no threads; call it inside leat::run_threads");
}

/// The carrier that executes the caller. Good until the caller may switch: copying what a program gives may.
/// \throws std::logic_error  none does: the call is outside of run_threads, or inside leat::blocking there
template <class P>
carrier<P>& this_carrier(const char* what) {
  carrier<P>* const c = carrier<P>::here();
  if (c == nullptr) [[unlikely]]
    throw_no_carrier(what);
  return *c;
}

/// A green thread with its callable, which is destroyed on the thread's own stack, or if the thread never
/// begins with it. A union keeps the compiler from destroying it a second time, with the record, which the handle may
/// keep for long.
template <class P, class F>
struct green_thread_of final : bubbles::green_thread<P> {
  template <class G>
  green_thread_of(bubbles::thread_scheduler<P>& h, const thread_options& o, fibre::stack<P> its, G&& g)
      : bubbles::green_thread<P>(h, o.priority, std::move(its), h.threads.number_thread()), f(std::forward<G>(g)) {}
  ~green_thread_of() noexcept override {
    if (!called) f.~F();
  }
  void call() override {
    called = true;
    struct end {
      F& f;
      ~end() { f.~F(); }
    };
    const end with_it{f};
    f();
  }
  union {
    F f;
  };
  bool called = false;
};

/// The first function on the stack of each thread. It never returns: its last act is a switch to another
/// stack, and the carrier that arrives there gives this stack away. `came` is the carrier that switched to it. Behind
/// call() the thread may be another carrier's, so that is asked for anew. In the child of a fork() there is none.
///
/// The order at the end: what it threw is kept, those that wait for it are told, and then it counts no more.
template <class P>
void thread_main(void* came) {
  static_cast<carrier<P>*>(came)->arrived();
  bubbles::green_thread<P>& s = *static_cast<carrier<P>*>(came)->current();
  try {
    s.call();
  } catch (...) {
    s.failure = platform::thrown();
  }
  if (carrier<P>::here() == nullptr) scheduler::abort_in_child();
  s.home.members.end(s);
  s.home.count_out();
  carrier<P>::here()->leave_for_good();
}

/// A thread that has not begun, with a copy of `f`, its caller's to release or discard. One allocation.
/// \throws std::bad_alloc, and what copying f throws
template <class P, class F>
bubbles::green_thread<P>& make_green_thread(bubbles::thread_scheduler<P>& home, fibre::stack<P> on,
                                            const thread_options& o, F&& f) {
  auto* const s = new green_thread_of<P, std::decay_t<F>>(home, o, std::move(on), std::forward<F>(f));
  s->at.begin_at(s->on.lowest(), s->on.bytes(), thread_main<P>);
  return *s;
}

/// See leat::thread. A handle is one of the two users of a green thread; the carrier that buries it is the
/// other. Of the record the handle touches what the gate guards, and what stays as it is; after the thread's end also
/// what it threw.
template <class P>
class thread {
 public:
  thread() noexcept = default;

  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  explicit thread(F&& f, const thread_options& o = {}) : thread(made(std::forward<F>(f), o)) {
    thread_->home.release(*thread_);
  }
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  thread(held_t, F&& f, const thread_options& o = {}) : thread(made(std::forward<F>(f), o)) {
    thread_->home.hold(*thread_);
  }
  thread(thread&& t) noexcept : thread_(std::exchange(t.thread_, nullptr)) {}
  thread& operator=(thread&& t) noexcept {
    thread taken(std::move(t));
    std::swap(thread_, taken.thread_);
    return *this;
  }
  ~thread() {
    if (thread_ == nullptr) return;
    // Only a thread that was made held keeps its home.
    const bool unbegun = thread_->kept == nullptr ? !thread_->released : thread_->home.members.take_back(*thread_);
    if (!unbegun) platform::abort_with("leat: a leat::thread is destroyed that was neither joined nor detached\n");
    thread_->discard();
  }

  /// One that others do not know yet. `c` is not used once f is being copied, as that may leave the carrier.
  template <class F>
  static thread made(F&& f, const thread_options& o) {
    carrier<P>& c = this_carrier<P>("thread");
    thread t;
    t.thread_ = &make_green_thread<P>(c.home(), c.stacks().take(o.stack_bytes), o, std::forward<F>(f));
    return t;
  }

  bool joinable() const noexcept { return thread_ != nullptr; }

  /// Waits for the end, and then throws what the thread let out. The handle is empty afterwards.
  /// \throws std::logic_error  no thread; the caller itself; never released; or discarded with its bubble (THREAD-11)
  void join() {
    bubbles::green_thread<P>& s = checked("thread::join");
    carrier<P>* const c = carrier<P>::here();
    if (c != nullptr && c->current() == &s) throw std::logic_error("leat::thread::join: a thread waits for itself");
    bool released = true;
    block<P>([&](bubbles::waiter<P>& w) {
      const handshake::holding<P> one(s.gate);
      released = s.released;  // under the gate, as THREAD-11 takes it back for a thread that none waits for
      if (!released || s.ended) return false;
      s.joiners.push(w);
      return true;
    });
    if (!released) throw std::logic_error("leat::thread::join: the thread was never released");
    const std::exception_ptr failure = std::exchange(s.failure, nullptr);
    let_go();
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  /// From now on an exception of it is its bubble's, or kept for run_threads. The gate decides: if the thread ends
  /// after this it finds that it has no handle, and if before, the exception is taken here.
  void detach() {
    bubbles::green_thread<P>& s = checked("thread::detach");
    std::exception_ptr failure;
    {
      const handshake::holding<P> one(s.gate);
      if (!s.released) throw std::logic_error("leat::thread::detach: the thread was never released");
      s.has_handle = false;
      if (s.ended) failure = std::exchange(s.failure, nullptr);
    }
    // Where none of its carriers executes the caller its home may be gone, as the thread has ended.
    if (failure != nullptr && is_home_here(s)) s.home.members.keep(std::exchange(failure, nullptr));
    let_go();
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  /// Ends the sleep of the thread, or keeps its next one from beginning: one, however many wakes came before it. The
  /// gate makes both one step: sleep uses up the note, or is in the line that wake empties.
  void wake() {
    bubbles::green_thread<P>& s = checked("thread::wake");
    const auto wait_or_note = [&s] {
      bubbles::waiter<P>* const w = s.sleeper.pop();
      s.awoken = s.awoken || w == nullptr;
      return w;
    };
    if (bubbles::waiter<P>* const w = bubbles::under(s.gate, wait_or_note)) bubbles::tell(*w);
  }

  /// BUBBLE-10. Under the gate, so the thread cannot end meanwhile, and its home is there.
  void set_priority(std::int32_t priority) {
    bubbles::green_thread<P>& s = checked("thread::set_priority");
    const handshake::holding<P> one(s.gate);
    if (!s.ended) s.home.places.set_priority(s, priority);
  }

  /// Out of line, as the caller's frame must keep no address of a thread-local word across the switch.
  [[gnu::noinline]] static void yield() {
    carrier<P>* const c = carrier<P>::here();
    if (c != nullptr && c->may_switch()) c->yield();
    else task::poll<P>();
  }

  static void sleep() {
    carrier<P>& c = this_carrier<P>("thread::sleep");
    if (c.current() == nullptr) throw_no_carrier("thread::sleep");
    bubbles::green_thread<P>& s = *c.current();
    block<P>([&](bubbles::waiter<P>& w) {
      const handshake::holding<P> one(s.gate);
      if (std::exchange(s.awoken, false)) return false;
      s.sleeper.push(w);
      return true;
    });
  }

  /// Detaches it, where `has_handle` of its record has said so before others knew the thread. It may have ended since.
  void give_up() noexcept { let_go(); }

  /// For a bubble that takes it in.
  bubbles::green_thread<P>& record(const char* what) const { return checked(what); }

 private:
  bubbles::green_thread<P>& checked(const char* what) const {
    if (thread_ == nullptr) throw std::logic_error(std::string("leat::") + what + ": there is no thread");
    return *thread_;
  }
  // Without a look at the home, which may be gone: while a carrier of it executes the caller, it is not.
  static bool is_home_here(const bubbles::green_thread<P>& s) noexcept {
    const carrier<P>* const c = carrier<P>::here();
    return c != nullptr && &c->home() == &s.home;
  }
  void let_go() noexcept { std::exchange(thread_, nullptr)->let_go(); }

  bubbles::green_thread<P>* thread_ = nullptr;
};

}  // namespace leat::inline LEAT_ABI::threads
